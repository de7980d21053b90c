import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("A mirror that resumes an earlier listing")
struct SecondListingTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func job(_ change: (inout MirrorJob) -> Void = { _ in }) -> MirrorJob {
        .remembering(below: directory, change)
    }

    /// Stops a mirror of four files at the second one, and then changes all files on the server.
    private func changedSite(_ job: MirrorJob, _ source: MirrorSource) async throws -> MirroredSite {
        let site = MirroredSite()
        func name(_ files: [String]) {
            site.change { state in
                state.pages["dir/"] = MirroredSite.page(files)
                state.files["list"] = files.map { "http://host/dir/\($0)\n" }.joined()
            }
        }
        name(["a", "b", "c", "d"])
        site.change { state in
            state.files.merge(["dir/a": "a", "dir/c": "c", "dir/d": "d"]) { $1 }
            state.limits.activeFiles = 1
        }
        var first = job
        first.failurePolicy = .stop(after: 1)
        // The stop may happen before the first file gets its name.
        repeat {
            try #require(await site.mirror(first, source).report.ending == .stopped)
        } while !directory.exists("root/a")
        name(["a", "b", "d", "e"])
        site.change { state in
            state.files["dir/c"] = nil
            state.files.merge(["dir/a": "new a", "dir/b": "b", "dir/e": "e"]) { $1 }
        }
        return site
    }

    @Test(
        "a run that resumes an earlier listing reflects the source at its end",
        arguments: [true, false])
    func listsAgain(isIndex: Bool) async throws {
        let job = job { ($0.proof, $0.deletion) = ($0.root, .mirrored) }
        let source: MirrorSource =
            isIndex ? .index(try Source("http://host/dir/")) : .list(try Source("http://host/list"), .urls)
        let site = try await changedSite(job, source)
        let downloader = site.downloader()
        var (failures, listings, report) = (0, 0, MirrorReport())
        for await event in downloader.mirror(job, of: downloader.entries(of: source)) {
            switch event {
            case .failed: failures += 1
            case .listedAgain: listings += 1
            case .ended(let last): report = last
            default: break
            }
        }
        #expect(report.isComplete && failures == 0 && listings == 1, "\(report.failures)")
        #expect(report.completed + report.skipped == 4 && report.completed >= 3)
        #expect(report.bytes == Int64("new a".utf8.count + 3))
        let sums = String(decoding: try directory.read("root/SHA256SUMS"), as: UTF8.self)
        #expect(sums.split(separator: "\n").map { $0.suffix(1) } == ["a", "b", "d", "e"])
        #expect(try directory.read("root/a") == Array("new a".utf8))
        #expect(!directory.exists("root/c"))
        let next = try await site.mirror(job, source)
        #expect(next.report.isComplete && next.report.skipped == 4 && next.asked.count == 5)
    }

    @Test("a failure in the pass over an earlier listing is reported if it persists at the end")
    func failsAgain() async throws {
        let source = MirrorSource.index(try Source("http://host/dir/"))
        let site = try await changedSite(job(), source)
        site.change { $0.files["dir/d"] = nil }
        let report = try await site.mirror(job(), source).report
        #expect(report.ending == .finished && report.failures.map(\.path?.text) == ["d"])
        #expect(report.completed + report.skipped == 3)
    }

    @Test("a run without an earlier listing lists the source once")
    func listsOnce() async throws {
        let source = MirrorSource.index(try Source("http://host/dir/"))
        let site = try await changedSite(job(), source)
        let again = try await site.mirror(job { $0.startsOver = true }, source)
        #expect(again.report.isComplete && again.asked.filter { $0 == "dir/" }.count == 1)
    }
}
