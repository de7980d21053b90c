import Foundation
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

/// An engine whose requests to the host `silent` receive no response.
private struct SilentHostEngine: TransferEngine {
    let others = MemoryEngine { request, _ in .honest([1, 2, 3], request.range) }

    func open(_ request: TransferRequest) async throws -> any OpenTransfer {
        if request.url.hasPrefix("http://silent/") {
            // It ends when the transfer is cancelled.
            try await Task.sleep(for: .seconds(3600))
        }
        return try await others.open(request)
    }

    func ask(_ batch: ConditionalRequests, for seconds: Double) async throws -> ConditionalAnswers {
        try await others.ask(batch, for: seconds)
    }

    func drain() async {}
}

@Suite("Downloads of a queue that wait for their hosts")
struct StalledDownloadTests {
    private func queue(_ files: FileCount) throws -> QueueState {
        var limits = Limits()
        limits.activeFiles = files
        var queue = QueueState(limits: limits)
        for number in 1...8 {
            let id = queue.makeID()
            let source = try Source("http://host/\(number)")
            _ = queue.add(QueueRecord(id: id, source: source, destination: .directory("/d"), added: Date()))
            queue.admit([id])
        }
        return queue
    }

    @Test("others begin in their place, and none returns to the queue once their hosts respond")
    func replaced() throws {
        var queue = try queue(.automatic)
        _ = queue.reschedule(now: Date())
        #expect(queue.activeRuns == 4)
        queue.replacements = 3
        let begun = queue.reschedule(now: Date())
        #expect(begun.count { $0.begins } == 3)
        queue.replacements = 0
        let changes = queue.reschedule(now: Date())
        #expect(changes == [] && queue.activeRuns == 7)
    }

    @Test("a fixed number is not exceeded")
    func fixed() throws {
        var queue = try queue(2)
        queue.replacements = 3
        _ = queue.reschedule(now: Date())
        #expect(queue.activeRuns == 2)
    }

    @Test("four at a silent host do not hold up one at another host", .timeLimit(.minutes(1)))
    func silentHost() async throws {
        let directory = try TemporaryDirectory()
        var configuration = ManagerConfiguration.inMemory
        configuration.downloads.durability = .process
        let downloader = Downloader(configuration: configuration.downloads, engine: SilentHostEngine())
        let manager = try await DownloadManager(configuration, downloader: downloader)
        let urls = (1...4).map { "http://silent/\($0)" } + ["http://host/file"]
        var ids: [Receipt.ID] = []
        for url in urls {
            let request = try DownloadRequest(url, to: .directory(directory.filePath("f")))
            ids.append(try await manager.add(request).id)
        }
        // Without a place for it, it would begin once one of the others has used up its retries.
        let result = try await manager.result(of: ids[4])
        let states = await manager.receipts.map(\.state)
        try await manager.shutdown()
        #expect(result.state == .completed && result.bytesCompleted == 3)
        #expect(states == [.probing, .probing, .probing, .probing, .completed])
    }
}
