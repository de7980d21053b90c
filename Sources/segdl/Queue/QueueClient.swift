import SegmentedDL
import SegmentedDLQueue

/// Sends commands to a queue.
protocol QueueClient: Sendable {
    /// Runs commands one after another.
    ///
    /// - Parameters:
    ///   - commands: The commands, each of which is read on demand.
    ///   - replied: Called with the reply to each, before the next one is sent.
    func send(_ commands: some Sequence<QueueCommand>, replied: (QueueReply) -> Void) async throws

    /// True if a process is running the queue's downloads.
    var isRunning: Bool { get }

    /// Calls `body` with the current receipts, in queue order.
    func forEachReceipt(_ body: (Receipt) throws(DownloadError) -> Void) async throws
}
