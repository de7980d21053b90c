import SegmentedDLSupport
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("Many recorded copies")
struct KnownCopiesTests {
    private let directory: TemporaryDirectory
    private let names = (10..<90).map { "\($0).txt" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Answers the batch of questions that asks about a given file, and no other one until the failure of that
    /// file was reported.
    private final class OneBatch: TransferEngine {
        /// The number of batches that a mirror may have begun before it saw the failure.
        private static let begun = 2

        private let target: String
        private let engine: any TransferEngine
        private let state = Lock<(hasFailed: Bool, later: Int)>((false, 0))

        init(of target: String, _ engine: any TransferEngine) {
            self.target = target
            self.engine = engine
        }

        func failureWasReported() { state.withLock { $0.hasFailed = true } }

        func open(_ request: TransferRequest) async throws -> any OpenTransfer {
            try await engine.open(request)
        }

        func ask(_ batch: ConditionalRequests, for seconds: Double) async throws -> ConditionalAnswers {
            let isAnswered = state.withLock { state -> Bool in
                if batch.requests.contains(where: { $0.target == target }) { return true }
                if state.hasFailed { state.later += 1 }
                // A mirror that does not stop is answered, so that it ends.
                return state.later > Self.begun
            }
            if isAnswered { return try await engine.ask(batch, for: seconds) }
            await Task.yield()
            return ConditionalAnswers(answers: batch.requests.map { _ in .none })
        }

        func drain() async {}
    }

    private func job(_ change: (inout MirrorJob) -> Void = { _ in }) -> MirrorJob {
        .remembering(below: directory, change)
    }

    /// Returns a site of eighty files that has been mirrored.
    private func mirroredSite(atATime: Int = 1) async throws -> MirroredSite {
        let site = MirroredSite()
        site.change { state in
            state.pages = ["": MirroredSite.page(names)]
            for name in names { state.files[name] = name }
            state.limits.activeFiles = .fixed(atATime)
        }
        try #require(try await site.mirror(job()).report.completed == names.count)
        return site
    }

    private func read(_ name: String) throws -> String {
        String(decoding: try directory.read("root/" + name), as: UTF8.self)
    }

    @Test("only changed files are fetched, and each is revalidated once before", arguments: [1, 2, 16])
    func changed(atATime: Int) async throws {
        let site = try await mirroredSite(atATime: atATime)
        // Too long to be received with its head.
        let long = String(repeating: "long ", count: 20_000)
        site.change { state in
            state.files["10.txt"] = "first"
            state.files["11.txt"] = long
            state.files["50.txt"] = nil
            state.files["89.txt"] = "last"
        }
        let second = try await site.mirror(job())
        let fetched = ["10.txt", "11.txt", "50.txt", "89.txt"]
        #expect(second.asked.sorted() == ([""] + names + fetched).sorted())
        #expect(second.report.completed == 3 && second.report.skipped == names.count - 4)
        #expect(second.report.failures.map(\.path?.text) == ["50.txt"])
        #expect(try read("10.txt") == "first" && read("11.txt") == long)
        #expect(try read("12.txt") == "12.txt" && read("89.txt") == "last")
        site.change { $0.files["50.txt"] = "50.txt" }
        let third = try await site.mirror(job())
        #expect(third.report.isComplete && third.report.completed == 0)
        #expect(third.asked.sorted() == ([""] + names).sorted())
    }

    @Test("a mirror that gives up early stops, and leaves the remaining questions to the next run")
    func stops() async throws {
        let site = try await mirroredSite()
        site.change { $0.files["15.txt"] = nil }
        let engine = OneBatch(of: "/15.txt", site.engine())
        let downloader = site.downloader(engine)
        let entries = downloader.entries(of: .index(try Source("http://host/")))
        var stopped = MirrorReport()
        for await event in downloader.mirror(job { $0.failurePolicy = .stop(after: 1) }, of: entries) {
            switch event {
            case .failed: engine.failureWasReported()
            case .ended(let report): stopped = report
            default: break
            }
        }
        // The other files of the failed one's batch.
        #expect(stopped.ending == .stopped && stopped.skipped == 7)
        site.change { $0.files["15.txt"] = "new" }
        let rest = try await site.mirror(job())
        #expect(rest.report.isComplete && rest.report.completed == 1)
        // The changed one is asked about and fetched; then the whole source is listed again.
        let first = rest.asked.prefix { $0 != "" }
        #expect(first.count + stopped.skipped == names.count + 1)
        #expect(try read("15.txt") == "new")
    }

    @Test(
        "a resumed run checks its completed files again",
        arguments: ["removed", "changed"])
    func lostMeanwhile(harm: String) async throws {
        let site = try await mirroredSite()
        site.change { state in
            for name in names { state.files[name] = "new \(name)" }
            state.files["85.txt"] = nil
        }
        let stopped = try await site.mirror(job { $0.failurePolicy = .stop(after: 1) })
        #expect(stopped.report.ending == .stopped && stopped.report.completed > 10)
        try directory.remove("root/12.txt")
        if harm == "changed" { try directory.write("other", to: "root/12.txt") }
        site.change { $0.files["85.txt"] = "new 85.txt" }
        let rest = try await site.mirror(job())
        #expect(rest.report.isComplete)
        #expect(try read("12.txt") == "new 12.txt" && read("85.txt") == "new 85.txt")
    }

    @Test("responses received before a cancellation are not requested again")
    func cancelled() async throws {
        let site = try await mirroredSite()
        let work = Lock<Task<MirrorReport, any Error>?>(nil)
        site.change { state in
            state.whenAsked = { path in
                if path == "14.txt" { work.withLock { $0?.cancel() } }
            }
        }
        // Under the lock: no request is sent before the task can be cancelled.
        let task = work.withLock { work in
            let task = Task { [job = job()] in try await site.mirror(job).report }
            work = task
            return task
        }
        let report = try await task.value
        #expect(report.ending == .cancelled && report.skipped >= 5)
        site.change { $0.whenAsked = { _ in } }
        let rest = try await site.mirror(job())
        #expect(rest.report.isComplete)
        #expect(rest.asked.prefix { $0 != "" }.count == names.count - report.skipped)
    }

    @Test("a mirror whose downloader is shut down is not complete", arguments: [true, false])
    func shutDown(isKnown: Bool) async throws {
        let site = try await mirroredSite()
        if !isKnown { site.change { state in for name in names { state.files[name] = "new" } } }
        site.change { state in
            // The engine throws this when it is shut down.
            state.whenAsked = { path in if path == "60.txt" { throw CancellationError() } }
        }
        let report = try await site.mirror(job()).report
        #expect(report.ending == .cancelled && !report.isComplete)
        #expect(report.skipped + report.completed < names.count)
        site.change { $0.whenAsked = { _ in } }
        let rest = try await site.mirror(job()).report
        #expect(rest.isComplete && rest.skipped + rest.completed == names.count)
    }

    @Test("changed files are fetched while the listing waits", .timeLimit(.minutes(10)))
    func changedWhileListing() async throws {
        let site = try await mirroredSite(atATime: 4)
        site.change { $0.files["10.txt"] = "first" }
        let (entries, listing) = AsyncStream.makeStream(of: MirrorEntry.self)
        func list(_ name: String) throws {
            let item = MirrorItem([try Source("http://host/" + name)], path: try RelativePath(name))
            listing.yield(.item(item))
        }
        try list("10.txt")
        var completed: [String] = []
        for await event in site.downloader().mirror(job(), of: entries) {
            guard case .completed(let item, _) = event else { continue }
            completed.append(item.path.text)
            if item.path.text == "10.txt" { try list("11.txt") } else { listing.finish() }
        }
        #expect(completed == ["10.txt", "11.txt"])
        #expect(try read("10.txt") == "first")
    }

    @Test("nothing is sent with an invalid header")
    func invalidHeader() async throws {
        let site = try await mirroredSite()
        let downloader = site.downloader()
        let items = try names.map { name in
            var item = MirrorItem([try Source("http://host/" + name)], path: try RelativePath(name))
            if name == "12.txt" { item.headers = [HTTPHeader("Range", "bytes=0-1")] }
            return MirrorEntry.item(item)
        }
        let entries = AsyncStream { continuation in
            for item in items { continuation.yield(item) }
            continuation.finish()
        }
        let before = site.asked.count
        let report = await downloader.mirror(job(), of: entries).report()
        #expect(report.failures.map(\.code) == [.invalidSetting] && report.skipped == names.count - 1)
        #expect(site.asked.dropFirst(before).sorted() == names.filter { $0 != "12.txt" })
    }
}
