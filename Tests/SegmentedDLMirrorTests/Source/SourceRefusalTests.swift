import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import TestSupport

@Suite("Refusals of the files of a source")
struct SourceRefusalTests {
    private static let commit = String(repeating: "0", count: 40)

    private func hub(token: String? = nil) throws -> HubSource {
        var environment = ["HF_ENDPOINT": "http://hub"]
        environment["HF_TOKEN"] = token
        return HubSource(
            try HubLocation("hf://org/model"), try HubSettings(environment: environment) { _ in nil })
    }

    /// An engine that lists a repository with two files to anyone, and refuses its files.
    private func engine(_ status: Int, _ fields: [HTTPHeader]) -> MemoryEngine {
        MemoryEngine { request, _ in
            let text: String
            if request.url.contains("/revision/") {
                text = "{\"sha\": \"\(Self.commit)\"}"
            } else if request.url.contains("/tree/") {
                let id = String(repeating: "a", count: 40)
                text =
                    "[{\"type\": \"file\", \"oid\": \"\(id)\", \"size\": 1, \"path\": \"a\"}, {\"type\": \"file\", \"oid\": \"\(id)\", \"size\": 1, \"path\": \"b\"}]"
            } else {
                return .init(head: ResponseHead(status: status, fields: fields))
            }
            return .honest(Array(text.utf8), request.range)
        }
    }

    @Test(
        "of a hub have the same remedies as those of a single file",
        arguments: [
            (401, "GatedRepo", nil, "access to this repository is restricted"),
            (403, "", nil, "access to this repository is restricted"),
            (403, "GatedRepo", "t", "the token's user has no access"),
            (401, "", "t", "the hub refuses the token"),
            (404, "EntryNotFound", nil, "the hub lists the file, but does not have it"),
        ] as [(Int, String, String?, String)])
    func ofHub(status: Int, code: String, token: String?, expected: String) async throws {
        let directory = try TemporaryDirectory()
        var configuration = Configuration()
        configuration.retry.retries = 0
        configuration.durability = .process
        let fields = code.isEmpty ? [] : [HTTPHeader("X-Error-Code", code)]
        let downloader = Downloader(configuration: configuration, engine: engine(status, fields))
        let source = try hub(token: token)
        let job = MirrorJob(root: directory.filePath("root"))
        let report = await downloader.mirror(job, of: downloader.entries(of: .hub(source))).report()
        #expect(report.failures.compactMap(\.path?.text).sorted() == ["a", "b"])
        for failure in report.failures {
            #expect(failure.message.hasPrefix("hf://org/model: ") && failure.message.contains(expected))
        }
    }

    @Test("of a hub that requests too long a delay also concern the files that were not requested")
    func pause() async throws {
        let directory = try TemporaryDirectory()
        var configuration = Configuration()
        configuration.limits.activeFiles = 1
        configuration.retry.longestRequestedWait = .seconds(5)
        configuration.durability = .process
        let engine = engine(429, [HTTPHeader("Retry-After", "3600")])
        let downloader = Downloader(configuration: configuration, engine: engine)
        let job = MirrorJob(root: directory.filePath("root"))
        let report = await downloader.mirror(job, of: downloader.entries(of: .hub(try hub()))).report()
        #expect(report.failures.compactMap(\.path?.text).sorted() == ["a", "b"])
        #expect(engine.requests.count { $0.url.contains("/resolve/") } == 1)
        for failure in report.failures {
            let message = failure.message
            #expect(message.hasPrefix("hf://org/model: the request quota is exhausted"), "\(message)")
            #expect(message.contains("setting a token in HF_TOKEN raises it"), "\(message)")
        }
    }

    @Test("are preceded by a notice that names the remedy for the quota of the listing's own host")
    func advice() throws {
        let source = try hub()
        var job = MirrorJob(root: try TemporaryDirectory().filePath("root"))
        job.access.origin = source.endpoint
        job.access.quotaAdvice = "set HF_TOKEN for a larger quota"
        let advices: [(String, String?)] = [
            ("http://hub/a", job.access.quotaAdvice), ("http://other/a", nil),
        ]
        for (url, advice) in advices {
            let first = try Source(url)
            let request = job.request(for: MirrorItem([first], path: try RelativePath("a")), from: first)
            #expect(HostAccess(to: first, by: request.mirrorAccess).quotaAdvice == advice)
        }
    }

    private func refusal(_ status: Int, at url: String, from final: String? = nil) throws -> DownloadError {
        let source = try Source(url)
        var error = DownloadError(.httpStatus, "as before", url: source.description, status: status)
        error.response = ResponseInfo(
            source: source, finalSource: try final.map { try Source($0) }, status: status)
        return error
    }

    @Test("by the store that the hub redirects to are not the hub's")
    func ofStore() throws {
        let url = "http://hub/org/model/resolve/\(Self.commit)/a"
        let item = MirrorItem([try Source(url)], path: try RelativePath("a"))
        let source = MirrorSource.hub(try hub())
        let ofStore = try refusal(403, at: url, from: "https://store.example/x")
        #expect(source.explained(ofStore, of: item, MirrorAccess()) == ofStore)
        let ofHub = source.explained(try refusal(403, at: url), of: item, MirrorAccess())
        #expect(ofHub.message.contains("set HF_TOKEN"))
    }

    @Test("of a registry and of a release name the remedy")
    func ofOthers() throws {
        let registry = try RegistrySource(RegistryLocation("oci://h.io/a"))
        let blob = "https://h.io/v2/a/blobs/sha256:\(String(repeating: "a", count: 64))"
        var item = MirrorItem([try Source(blob)], path: try RelativePath("blob"))
        var message = MirrorSource.registry(registry).explained(
            try refusal(401, at: blob), of: item, MirrorAccess()
        ).message
        #expect(message.contains("podman login h.io"), "\(message)")
        let asset = "https://github.com/o/r/releases/download/v1/a"
        let page = try Source("https://github.com/o/r/releases")
        let releases = try #require(
            ReleasesSource(page, try ReleasesSettings(environment: ["GITHUB_TOKEN": "t"])))
        item = MirrorItem([try Source(asset)], path: try RelativePath("a"))
        message =
            MirrorSource.releases(releases).explained(
                try refusal(404, at: asset), of: item, MirrorAccess()
            ).message
        #expect(message.contains("may have been removed"), "\(message)")
    }

    @Test("do not concern complete files, whose digests come from the host of the listing")
    func attributed() throws {
        let url = "https://files.example/a.whl"
        let source = MirrorSource.packages(try Source("https://index.example/simple/a/"))
        var item = MirrorItem([try Source(url)], path: try RelativePath("a.whl"))
        let digest = try Checksum(.md5, String(repeating: "a", count: 32))
        item.checksums = [digest]
        var result = DownloadResult(
            outcome: .downloaded, path: nil, length: 1, bytesWritten: 1, duration: .zero, connections: 1,
            verified: [digest])
        result.response = ResponseInfo(source: try Source(url))
        #expect(source.attributed(result, of: item).proofs.map(\.isOfOtherHost) == [true])
        result.response = ResponseInfo(source: try Source("https://index.example/files/a.whl"))
        #expect(source.attributed(result, of: item).proofs.map(\.isOfOtherHost) == [false])
        result.response = nil
        #expect(source.attributed(result, of: item).proofs.map(\.isOfOtherHost) == [false])
    }
}
