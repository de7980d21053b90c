import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import TestSupport

/// A hub in memory.
@Suite("The listing of a repository of a model hub")
struct HubPagerTests {
    private static let commit = "0123456789abcdef0123456789abcdef01234567"
    private static let tree = "http://hub/api/models/o/m/tree/\(commit)?recursive=true"

    /// Returns the entries of a repository.
    ///
    /// - Parameters:
    ///   - files: The files that the hub names for the revision.
    ///   - pages: The names in the pages, and the cursors of the next pages.
    ///   - token: The page at which an earlier run ended; `nil` for none.
    private func entries(
        _ files: [String], _ pages: [String: (names: [String], next: String?)],
        filter: PathFilter = PathFilter(), location: String = "hf://o/m", resuming token: String? = nil
    ) async throws -> [MirrorEntry] {
        let engine = MemoryEngine { request, _ in
            let url = request.url
            if url == "http://hub/api/models/o/m/revision/main" {
                let siblings = files.map { "{\"rfilename\": \"\($0)\"}" }.joined(separator: ", ")
                let body = "{\"sha\": \"\(Self.commit)\", \"siblings\": [\(siblings)]}"
                return .honest(Array(body.utf8), request.range)
            }
            let cursor = url.split(separator: "cursor=").dropFirst().first.map(String.init) ?? ""
            guard url.contains("/tree/"), let page = pages[cursor] else {
                return .init(head: ResponseHead(status: 404))
            }
            let body = page.names.map { "{\"type\": \"file\", \"path\": \"\($0)\", \"size\": 1}" }
            var reply = MemoryEngine.Reply.honest(
                Array("[\(body.joined(separator: ", "))]".utf8), request.range)
            if let next = page.next {
                reply.head.append(HTTPHeader("Link", "<\(Self.tree)&cursor=\(next)>; rel=\"next\""))
            }
            return reply
        }
        var configuration = Configuration()
        configuration.retry.retries = 0
        let settings = try HubSettings(environment: ["HF_ENDPOINT": "http://hub"]) { _ in nil }
        let source = MirrorSource.hub(HubSource(try HubLocation(location), settings))
        let downloader = Downloader(configuration: configuration, engine: engine)
        let pager = try downloader.entries(of: source, filter: filter).makePager()
        if let token { try pager.resume(from: ListingState(token: token)) }
        var entries: [MirrorEntry] = []
        while let batch = try await pager.next() { entries += batch.filter { filter.accepts($0) } }
        return entries
    }

    private func names(_ entries: [MirrorEntry]) -> [String] {
        entries.map { entry in if case .item(let item) = entry { item.path.text } else { "unusable" } }
    }

    @Test("is incomplete if the hub names a file that no page lists, as without the link to the next page")
    func lostLink() async throws {
        let files = ["a", "b", "d/c", "d/e"]
        let whole = try await entries(files, ["": (["a", "b"], "2"), "2": (["d/c", "d/e", "f"], nil)])
        #expect(names(whole) == ["a", "b", "d/c", "d/e", "f"])
        let cut = try await entries(files, ["": (["a", "b"], nil)])
        #expect(names(cut) == ["a", "b", "unusable"])
        guard case .unusable(let entry) = cut.last else { return }
        #expect(entry.reason.contains("lacks 2 of") && entry.reason.contains("'d/c'"), "\(entry.reason)")
    }

    @Test("may lack files that are not selected")
    func unselected() async throws {
        let page: [String: (names: [String], next: String?)] = ["": (["a", "b"], nil)]
        let filtered = try await entries(
            ["a", "b", "d/c"], page, filter: try PathFilter(include: [], exclude: ["d/*"]))
        #expect(names(filtered) == ["a", "b"])
        let below = try await entries(
            ["a", "d/c", "dd"], ["": (["d/c"], nil)], location: "hf://o/m/d")
        #expect(names(below) == ["c"])
        let cut = try await entries(["d/c", "d/e"], ["": (["d/c"], nil)], location: "hf://o/m/d")
        #expect(names(cut) == ["c", "unusable"])
    }

    @Test("begins again if the hub no longer has the page at which an earlier run ended")
    func lostCommit() async throws {
        let pages: [String: (names: [String], next: String?)] = ["": (["a"], "2"), "2": (["b"], nil)]
        let resumed = try await entries(["a", "b"], pages, resuming: Self.tree + "&cursor=2")
        #expect(names(resumed) == ["b"])
        let old =
            "http://hub/api/models/o/m/tree/\(String(repeating: "0", count: 40))?recursive=true&cursor=9"
        #expect(try await names(entries(["a", "b"], pages, resuming: old)) == ["a", "b"])
    }

    @Test("ends in an error if a page that leads to another one has only entries of earlier pages")
    func circular() async throws {
        let circles: [[String: (names: [String], next: String?)]] = [
            ["": (["a", "b"], "2"), "2": (["a", "b"], "3")],
            ["": (["a", "b"], "2"), "2": (["c"], "3"), "3": (["b"], "2")],
        ]
        for pages in circles {
            let error = await #expect(throws: DownloadError.self) { try await entries([], pages) }
            #expect(error?.message.contains("circular") == true, "\(String(describing: error))")
        }
        let overlapping = try await entries(
            [], ["": (["a", "b"], "2"), "2": (["b", "c"], "3"), "3": (["c"], nil)])
        #expect(names(overlapping) == ["a", "b", "b", "c", "c"])
    }

    @Test("ends in an error if ModelScope sends the same page of a data set for each number")
    func circularDataset() async throws {
        let files = (0..<HubLocation.modelScopePageSize).map { "{\"Path\": \"f\($0)\", \"Type\": \"blob\"}" }
        let body = "{\"Data\": {\"Files\": [\(files.joined(separator: ", "))]}}"
        let engine = MemoryEngine { request, _ in .honest(Array(body.utf8), request.range) }
        let settings = try HubSettings(
            environment: ["HF_ENDPOINT": "http://hub", "MODELSCOPE_ENDPOINT": "http://hub"]
        ) { _ in nil }
        let source = MirrorSource.hub(HubSource(try HubLocation("hf://datasets/o/d"), settings))
        let downloader = Downloader(configuration: Configuration(), engine: engine)
        let error = await #expect(throws: DownloadError.self) {
            for try await _ in downloader.entries(of: source) {}
        }
        #expect(error?.message.contains("circular") == true)
        #expect(engine.requests.count == 2)
    }
}
