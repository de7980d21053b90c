import Foundation
import SegmentedDLProgress
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("A paused handle", .timeLimit(.minutes(10)))
struct PauseTests {
    private static func waitForBytes(_ handle: DownloadHandle, _ bytes: Int64 = 200_000) async {
        for await progress in handle.progress(every: .milliseconds(5))
        where progress.bytesCompleted > bytes {
            break
        }
    }

    @Test("a pause closes the connections, and the next run continues after the bytes")
    func pausing() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        let size: Int64 = 3_000_000
        let handle = downloader.start(try fixture.request(fixture.server.url("plain", size, "hold=700000")))
        await Self.waitForBytes(handle)
        await handle.pause()
        #expect(handle.state == .paused)
        let kept = try ManifestInfo(path: fixture.directory.filePath("file.bin.part.segdl"))
            .trustedRanges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        #expect(kept > 200_000)
        #expect(handle.currentProgress.bytesCompleted == kept)
        #expect(handle.currentProgress.connections == 0)
        let waiter = Task { try await handle.result }
        // A second pause has no effect.
        await handle.pause()
        handle.resume()
        #expect(try await waiter.value.bytesWritten == size - kept)
        #expect(handle.state == .completed)
        // Nor do verbs after the end.
        await handle.pause()
        handle.resume()
        handle.cancel()
        #expect(try await handle.result.length == size)
        await downloader.shutdown()
        try fixture.expectExact(size)
    }

    @Test("a download that starts over does so once")
    func startsOver() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        let size: Int64 = 2_000_000
        var request = try fixture.request(fixture.server.url("plain", size, "hold=700000"))
        request.startsOver = true
        let handle = downloader.start(request)
        await Self.waitForBytes(handle)
        await handle.pause()
        handle.resume()
        #expect(try await handle.result.bytesWritten < size)
        await downloader.shutdown()
        try fixture.expectExact(size)
    }

    @Test("a paused download can be cancelled, and ends with its downloader")
    func ends() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        // Takes minutes over any connection: a replacement does not finish it either.
        let handles = try ["a", "b"].map { name in
            downloader.start(
                try fixture.request(fixture.server.url("plain", 3_000_000, "rate=1000"), to: name))
        }
        for handle in handles { await handle.pause() }
        handles[0].cancel()
        #expect(handles[0].state == .cancelled)
        await #expect(throws: DownloadError.cancelled()) { try await handles[0].result }
        let waiter = Task { try await handles[1].result }
        await downloader.shutdown()
        await #expect(throws: DownloadError.shutDown()) { try await waiter.value }
        handles[1].resume()
        await #expect(throws: DownloadError.shutDown()) { try await handles[1].result }
    }

    @Test("a paused download yields its slot to others")
    func turns() async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.limits.activeFiles = 1
        let downloader = try Downloader(fixture.configuration)
        let first = downloader.start(
            try fixture.request(fixture.server.url("plain", 1_000_000, "hold=300000"), to: "a"))
        let second = downloader.start(try fixture.request(fixture.server.url("plain", 1000), to: "b"))
        await Self.waitForBytes(first)
        await first.pause()
        _ = try await second.result
        #expect(first.state == .paused)
        first.resume()
        _ = try await first.result
        await downloader.shutdown()
        try fixture.expectBytes(1_000_000, name: "a")
    }

    @Test("concurrent calls from many tasks do not hang, and the file is exact", arguments: 0..<4)
    func storm(seed: UInt64) async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        let handle = downloader.start(
            try fixture.request(fixture.server.url("plain", 1_500_000, "rate=3000000")))
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    var random = SplitMix64(seed: seed * 10 + UInt64(task))
                    for _ in 0..<30 {
                        if random.next() % 2 == 0 { await handle.pause() } else { handle.resume() }
                    }
                }
            }
        }
        handle.resume()
        #expect(try await handle.result.length == 1_500_000)
        await downloader.shutdown()
        try fixture.expectExact(1_500_000)
    }

    @Test("Foundation's Progress pauses, resumes and cancels a handle")
    func foundationProgress() async throws {
        let fixture = try await DownloadFixture()
        let downloader = try Downloader(fixture.configuration)
        let handle = downloader.start(
            try fixture.request(fixture.server.url("plain", 2_000_000, "hold=700000")))
        let progress = handle.foundationProgress(every: .milliseconds(5))
        await Self.waitForBytes(handle)
        progress.pause()
        while handle.state != .paused { try await Task.sleep(for: .milliseconds(1)) }
        progress.resume()
        _ = try await handle.result
        while progress.completedUnitCount < 2_000_000 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(progress.isFinished)
        let second = downloader.start(
            try fixture.request(fixture.server.url("plain", 2_000_000, "hold=1000"), to: "second"))
        second.foundationProgress().cancel()
        await #expect(throws: DownloadError.cancelled()) { try await second.result }
        await downloader.shutdown()
    }
}
