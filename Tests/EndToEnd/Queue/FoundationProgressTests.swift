import Foundation
import SegmentedDL
import SegmentedDLProgress
import SegmentedDLQueue
import SegmentedDLTesting
import TestSupport
import Testing

@Suite("A download as Foundation's Progress")
struct FoundationProgressTests {
    @Test("pauses, resumes and cancels the download, and shows its figures")
    func controls() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let receipt = try await manager.add(
                fixture.request(fixture.url("plain", 3_000_000, "file.bin", "hold=1500000")))
            let progress = manager.foundationProgress(of: receipt.id, every: .milliseconds(5))
            try await fixture.waitForBytes(receipt.id, manager)
            while progress.completedUnitCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(progress.totalUnitCount == 3_000_000)
            #expect(progress.isPausable)
            #expect(progress.isCancellable)
            progress.pause()
            try await manager.waitUntilIdle()
            #expect(await manager.receipt(receipt.id)?.state == .paused)
            progress.resume()
            try await manager.result(of: receipt.id)
            while progress.completedUnitCount < 3_000_000 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(progress.isFinished)

            let second = try await manager.add(
                fixture.request(fixture.url("plain", 3_000_000, "second.bin", "rate=50000")))
            manager.foundationProgress(of: second.id).cancel()
            await #expect(throws: DownloadError.self) { try await manager.result(of: second.id) }
            #expect(await manager.receipt(second.id)?.state == .cancelled)
        }
        try fixture.expectExact(3_000_000)
    }

    @Test("a failed download completes its share of a parent", .timeLimit(.minutes(10)))
    func parent() async throws {
        let directory = try TemporaryDirectory()
        let server = FaultServer(["http://host.example/a": FaultServer.File([1, 2, 3])])
        try await server.withManager { manager in
            let parent = Progress(totalUnitCount: 2)
            for name in ["a", "missing"] {
                let id = try await manager.add(
                    DownloadRequest("http://host.example/\(name)", to: .directory(directory.filePath("f")))
                ).id
                parent.addChild(
                    manager.foundationProgress(of: id, every: .milliseconds(10)), withPendingUnitCount: 1)
            }
            try await manager.waitUntilIdle()
            #expect(await manager.receipts.map(\.state) == [.completed, .failed])
            while parent.fractionCompleted < 0.999 { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    @Test("the progress of the whole queue counts states and bytes")
    func overall() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            let entries = try (0..<5).map {
                QueueEntry(try fixture.request(fixture.url("plain", 100_000, "\($0).bin")))
            }
            _ = try await manager.add(entries)
            var last = QueueProgress()
            for await progress in manager.progress(every: .milliseconds(2)) {
                #expect(progress.downloads == 5)
                #expect(progress.bytesCompleted >= last.bytesCompleted)
                last = progress
                if progress.counts[.completed] == 5 { break }
            }
            #expect(last.bytesCompleted == 500_000)
            #expect(last.bytesTotal == 500_000)
            #expect(last.unknownLengths == 0)
        }
    }
}
