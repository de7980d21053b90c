import SegmentedDL
import SegmentedDLQueue

/// The sender of commands to a queue.
protocol QueueClient: Sendable {
    /// Runs commands one after the other.
    ///
    /// - Parameters:
    ///   - commands: The client takes each one when it needs it.
    ///   - replied: Called with the reply to each, before the next one is sent.
    func send(_ commands: some Sequence<QueueCommand>, replied: (QueueReply) -> Void) async throws

    /// True if a process downloads what the queue has.
    var isRunning: Bool { get }

    /// Calls `body` with the present receipts, in the order of the queue.
    func forEachReceipt(_ body: (Receipt) throws(DownloadError) -> Void) async throws
}
