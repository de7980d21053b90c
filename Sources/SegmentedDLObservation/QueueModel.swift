public import Observation
public import SegmentedDLQueue

/// The content of a queue, observable by user interfaces.
///
/// Its receipts are those of the queue, in queue order, and change with the queue.
@MainActor @Observable
public final class QueueModel {
    /// The receipts of all downloads, in queue order.
    public private(set) var receipts: [Receipt] = []
    /// The progress of the whole queue.
    public private(set) var progress = QueueProgress()

    /// Creates an empty model.
    public init() {}

    /// Follows a queue until it is shut down, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - manager: The queue.
    ///   - interval: The time between two updates of running downloads; less than 10 ms counts as 10 ms.
    public func follow(_ manager: DownloadManager, every interval: Duration = .milliseconds(250)) async {
        await follow(manager, every: interval, limit: 100_000)
    }

    /// - Parameter limit: The maximum number of buffered events.
    func follow(_ manager: DownloadManager, every interval: Duration, limit: Int) async {
        let events = manager.events(limit: limit)
        await refresh(from: manager)
        async let steps: Void = takeSteps(events, limit: limit, of: manager)
        for await progress in manager.progress(every: interval) {
            for receipt in await manager.activeReceipts { update(receipt) }
            self.progress = progress
        }
        await steps
    }

    /// Reads all receipts again.
    public func refresh(from manager: DownloadManager) async {
        receipts = await manager.receipts
        progress = await manager.progress
    }

    private func takeSteps(
        _ events: AsyncStream<QueueEvent>, limit: Int, of manager: DownloadManager
    ) async {
        var events = events
        while true {
            var count = 0
            for await event in events {
                count += 1
                await take(event, of: manager)
            }
            // The stream ends early, after the events that it holds, if more were waiting.
            guard count >= limit, !Task.isCancelled else { return }
            events = manager.events(limit: limit)
            await refresh(from: manager)
        }
    }

    private func take(_ event: QueueEvent, of manager: DownloadManager) async {
        switch event {
        // An earlier refresh may have read it already.
        case .added(let receipt): if !replace(receipt) { await refresh(from: manager) }
        case .changed(let receipt, _), .held(let receipt), .updated(let receipt): replace(receipt)
        case .reordered: await refresh(from: manager)
        case .removed(let receipt): receipts.removeAll { $0.id == receipt.id }
        }
    }

    /// Replaces a receipt, unless its state is that before or after a transition, which an event reports.
    private func update(_ receipt: Receipt) {
        guard let known = receipts.first(where: { $0.id == receipt.id }), known.state == receipt.state else {
            return
        }
        replace(receipt)
    }

    /// - Returns: False if the model does not have the download.
    @discardableResult
    private func replace(_ receipt: Receipt) -> Bool {
        guard let index = receipts.firstIndex(where: { $0.id == receipt.id }) else { return false }
        receipts[index] = receipt
        return true
    }
}
