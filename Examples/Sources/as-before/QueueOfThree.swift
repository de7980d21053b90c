import SegmentedDL
import SegmentedDLQueue

/// A queue that survives any end of the program.
func queueOfThree(_ directory: FilePath, _ urls: [String]) async throws {
    try await DownloadManager.withManager(.init(store: directory.appending("queue.sqlite"))) { manager in
        _ = try await manager.add(urls.map { QueueEntry(try DownloadRequest($0, to: .directory(directory))) })
        try await manager.waitUntilIdle()
        for receipt in await manager.receipts { print("\(receipt.source.url): \(receipt.state)") }
    }
}
