import Foundation
import SegmentedDLQueue
import TestSupport
import Testing

@Suite("Caps changed while a queue runs")
struct QueueCapTests {
    private let fixture: QueueCommandFixture

    init() async throws {
        fixture = try await QueueCommandFixture()
    }

    /// Starts the queue, and returns its caps and its final output.
    private func caps(
        at start: String..., changes: [String] = [], meanwhile: () async throws -> Void = {}
    ) async throws -> (shown: String, errors: String) {
        let process = try fixture.start(["start", "--keep-running", "--progress", "plain"] + start)
        try await fixture.wait { DownloadManager.isOpen(storeAt: fixture.queue) }
        let shown = try await fixture.must("limit")
        if !changes.isEmpty { try await fixture.must(["limit"] + changes) }
        try await meanwhile()
        process.send(SIGTERM)
        return (shown, await process.result().errors)
    }

    @Test("apply to the next start until it sets another value")
    func hold() async throws {
        _ = try await caps(at: "-j", "3", changes: ["-j", "5", "-x", "7", "--limit-rate", "100k"])
        let same = try await caps(at: "-j", "3")
        for text in ["max-active-files = 5", "max-connections = 7", "limit-rate = 102400 (100 KiB/s)"] {
            #expect(same.shown.contains(text) && same.errors.contains(text), "\(same)")
        }
        let other = try await caps(at: "-j", "4")
        #expect(other.shown.contains("max-active-files = 4") && other.shown.contains("max-connections = 7"))
        let first = try await caps(at: "-j", "3")
        #expect(first.shown.contains("max-active-files = 3") && first.shown.contains("= 102400"))
    }

    @Test("are not forgotten by a start that is refused because the queue runs")
    func refused() async throws {
        _ = try await caps(at: "-j", "3", changes: ["-j", "5"]) {
            let second = try await fixture.run("start", "-j", "4")
            #expect(second.status != 0 && !second.errors.contains("apply again"), "\(second)")
        }
        #expect(try await caps(at: "-j", "3").shown.contains("max-active-files = 5"))
    }
}
