internal import SegmentedDL
internal import SegmentedDLSupport

/// The calls that wait, and the streams of events.
extension DownloadManager {
    /// Waits until a condition is met.
    ///
    /// - Parameters:
    ///   - id: The download whose changes can fulfil it; `nil` for any.
    ///   - isCancellable: False to continue waiting in a cancelled task.
    /// - Throws: `CancellationError` if the task is cancelled; `DownloadError` with code `shutDown` if the
    ///   manager is shut down.
    func wait(
        on id: Receipt.ID? = nil, isCancellable: Bool = true,
        until isMet: @escaping @Sendable (QueueState) -> Bool
    ) async throws {
        let number = waiters.makeNumber()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if isMet(queue) {
                    continuation.resume()
                } else if isCancellable, Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else if hasStopped {
                    continuation.resume(throwing: ConditionWaiters.shutDownError)
                } else {
                    waiters.insert(number, on: id, isMet: isMet, continuation)
                }
            }
        } onCancel: {
            if isCancellable { Task { await self.abandonWait(number, on: id) } }
        }
    }

    /// Waits until a download is running, or the queue's progress changes.
    ///
    /// - Throws: The errors of `wait(on:until:)`.
    package func waitForChange(from known: QueueProgress) async throws {
        try await wait { $0.activeRuns > 0 || $0.records.totals.progress != known }
    }

    private func abandonWait(_ number: Int, on id: Receipt.ID?) {
        waiters.cancel(number, on: id)
    }

    // MARK: Events

    /// Returns a stream of all subsequent events, in order and without gaps. Each call creates a separate
    /// stream, which ends when the manager is shut down, with the events of the downloads that this stops.
    ///
    /// In a closure of the configuration that a download awaits, the stream has no elements, because the
    /// events of that download could only follow the closure. Use ``ManagerConfiguration/onEvent``, or call
    /// this in `Task.detached`.
    ///
    /// - Parameter limit: The maximum number of buffered events; less than 1 counts as 1. A reader that falls
    ///   further behind receives these and then the end of the stream; it can read ``receipts`` and call this
    ///   again.
    public nonisolated func events(limit: Int = 100_000) -> AsyncStream<QueueEvent> {
        guard !CallerClosure.isAwaited(by: .run, of: self) else { return AsyncStream(unfolding: { nil }) }
        return eventStreams.makeStream(limit: max(limit, 1))
    }
}
