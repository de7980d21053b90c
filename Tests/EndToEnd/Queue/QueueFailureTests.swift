import Foundation
import SegmentedDL
import TestSupport
import Testing

/// Downloads that fail in the real command, and their ways out of the list.
@Suite("segdl queue and downloads that fail", .timeLimit(.minutes(10)))
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
}
