import SegmentedDLSupport

/// The calls of ``ManagerConfiguration/onEvent``, one after the other.
///
/// An event that has not been delivered keeps the manager in memory, which the closure receives with it:
/// otherwise, a manager that its caller has released would lose the events of the downloads that it
/// completes.
struct EventDelivery: Sendable {
    private let sender: AsyncStream<(QueueEvent, DownloadManager)>.Continuation
    private let calls: Task<Void, Never>

    init(to onEvent: @escaping @Sendable (QueueEvent, DownloadManager) async -> Void) {
        let (events, sender) = AsyncStream.makeStream(of: (QueueEvent, DownloadManager).self)
        self.sender = sender
        calls = CallerClosure.outside {
            Task {
                for await (event, manager) in events {
                    try? await CallerClosure.run(of: manager, .events) { await onEvent(event, manager) }
                }
            }
        }
    }

    func send(_ event: QueueEvent, of manager: DownloadManager) {
        sender.yield((event, manager))
    }

    /// Ends the calls after the last event.
    func finish() { sender.finish() }

    /// Returns after the last call.
    func waitForEnd() async { await calls.value }
}
