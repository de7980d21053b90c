import SegmentedDL
import SegmentedDLQueue

/// The sender of commands to a queue.
protocol QueueClient: Sendable {
    /// Runs commands sequentially.
    ///
    /// - Parameters:
    ///   - commands: The client reads each one on demand.
    ///   - replied: Called with the reply to each, before the next one is sent.
    func send(_ commands: some Sequence<QueueCommand>, replied: (QueueReply) -> Void) async throws

    /// True if a process runs the queue's downloads.
    var isRunning: Bool { get }

    /// Calls `body` with the current receipts, in queue order.
    func forEachReceipt(_ body: (Receipt) throws(DownloadError) -> Void) async throws
}
