import Foundation
import SegmentedDL
import TestSupport
import Testing

/// Downloads that fail in the real command, and how they leave the list.
@Suite("segdl queue with failing downloads", .timeLimit(.minutes(10)))
struct QueueFailureTests {
    @Test("--retries 0 ends a run at the first failures, with -q too")
    func noRetries() async throws {
        let fixture = try await QueueCommandFixture()
        let broken = fixture.server.url("status", 10, name: "broken", "code=500")
        try await fixture.must("add", "-d", "files", "http://127.0.0.1:1/refused", broken)
        let end = try await fixture.run("start", "-q", "--retries", "0")
        #expect(end.status == 1 && end.errors.contains("2 failed; segdl queue list shows why"), "\(end)")
        let lines = try await fixture.list()
        #expect(lines.map(\.state) == [.failed, .failed] && lines.map(\.attempts) == [1, 1], "\(lines)")
    }

    @Test("a failed download that is added again is retried, and the status is 0 once it is complete")
    func addedAgain() async throws {
        let (nginx, fixture) = (try await Nginx(), try await QueueCommandFixture())
        let urls = ["a", "b", "c"].map { nginx.url($0) }
        try nginx.root.write("there", to: "c")
        try await fixture.must(["add", "-d", "files"] + urls)
        #expect(try await fixture.run("start", "--progress", "none").status == 1)
        try nginx.root.write("one", to: "a")
        try nginx.root.write("two", to: "b")
        let one = try await fixture.run(["add", "-d", "files", urls[0]])
        #expect(one.status == 0 && one.output.hasPrefix("1\t"), "\(one)")
        #expect(one.errors == "segdl: number 1 failed before; it is tried again, and its bytes are kept.\n")
        try await fixture.must("cancel", "1")
        try await fixture.must("resume", "1")
        let waiting = try await fixture.run(["add", "-d", "files", urls[0]])
        #expect(waiting.errors.contains("number 1 is already in the queue (queued)"), "\(waiting)")
        let rest = try await fixture.run(["add", "-d", "files", urls[1], urls[2]])
        #expect(rest.errors.contains("number 3 was completed before; it is checked"), "\(rest)")
        #expect(rest.errors.contains("number 2 failed before; it is tried again"), "\(rest)")
        try await fixture.must("start", "--progress", "none")
        #expect(try await fixture.list().map(\.state) == [.completed, .completed, .completed])
        #expect(try fixture.directory.read("files/b") == Array("two".utf8))
    }

    @Test("a download with more segments than the run's caps allow is limited to them")
    func fewerConnections() async throws {
        let fixture = try await QueueCommandFixture()
        let url = fixture.server.url("plain", 2_000_000, name: "f", "rate=1000000")
        try await fixture.must("add", "-s", "20", "-d", "files", url)
        try await fixture.must("start", "--progress", "none", "-x", "3", "--min-segment-size", "64k")
        #expect(try await fixture.list().map(\.state) == [.completed])
        let peak = try await fixture.server.peak().peakConcurrent
        #expect(peak == 2 || peak == 3)
    }

    @Test("with another policy for existing files is added after the failed one is removed, as advised")
    func otherPolicy() async throws {
        let (nginx, fixture) = (try await Nginx(), try await QueueCommandFixture())
        try nginx.root.write("theirs", to: "a")
        try fixture.directory.makeDirectory("files")
        try fixture.directory.write("mine", to: "files/a")
        try await fixture.must("add", "-d", "files", nginx.url("a"))
        #expect(try await fixture.run("start", "--progress", "none").status == 1)
        let replacing = ["add", "-d", "files", "--if-exists", "replace", nginx.url("a")]
        let refused = try await fixture.run(replacing)
        #expect(refused.status == 64, "\(refused)")
        #expect(
            refused.errors.contains(
                "(number 1), with a different policy for existing files; remove that one first"), "\(refused)"
        )
        let removed = try await fixture.must("remove", "1")
        #expect(!removed.contains("stays"), "\(removed)")
        try await fixture.must(replacing)
        try await fixture.must("start", "--progress", "none")
        #expect(try fixture.directory.read("files/a") == Array("theirs".utf8))
    }

    @Test("remove names the file with a wrong digest, and no unfinished one", arguments: [false, true])
    func rejected(deletesFiles: Bool) async throws {
        let (nginx, fixture) = (try await Nginx(), try await QueueCommandFixture())
        try nginx.root.write("content", to: "a")
        let wrong = "sha256=" + String(repeating: "0", count: 64)
        try await fixture.must("add", "-d", "files", "--checksum", wrong, nginx.url("a"))
        #expect(try await fixture.run("start", "--progress", "none").status == 1)
        #expect(fixture.fileNames == ["a.rejected"])
        let removed = try await fixture.must(["remove", "1"] + (deletesFiles ? ["--delete-files"] : []))
        #expect(removed.contains("/files/a.rejected' was kept although its digest is wrong;"), "\(removed)")
        #expect(!removed.contains("unfinished"), "\(removed)")
    }

    @Test("each failure of downloads that are started again is shown")
    func failuresOfSelected() async throws {
        let fixture = try await QueueCommandFixture()
        for code in [403, 404, 410] {
            try await fixture.must(
                "add", "-d", "files", fixture.server.url("status", 10, name: "f\(code)", "code=\(code)"))
        }
        _ = try await fixture.run("start", "--progress", "none")
        for _ in 0..<3 {
            let end = try await fixture.run("start", "--progress", "none", "state:failed")
            for code in [403, 404, 410] {
                #expect(end.errors.contains("failed: ") && end.errors.contains("f\(code)"), "\(end)")
            }
        }
    }
}
