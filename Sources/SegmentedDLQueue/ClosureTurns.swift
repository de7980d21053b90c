internal import SegmentedDLSupport

/// The closures about files in batches that are running, and those that wait for their turn.
struct ClosureTurns {
    var running = 0
    private var waiting: [AsyncEvent] = []

    /// Returns the signal of a closure that waits.
    mutating func wait() -> AsyncEvent {
        let turn = AsyncEvent()
        waiting.append(turn)
        return turn
    }

    /// Wakes the first waiting closure.
    mutating func wakeNext() {
        if !waiting.isEmpty { waiting.removeFirst().send() }
    }

    /// Removes a cancelled closure. If it was woken already, the next one is woken instead.
    mutating func abandon(_ turn: AsyncEvent) {
        guard let index = waiting.firstIndex(where: { $0 === turn }) else { return wakeNext() }
        waiting.remove(at: index)
    }
}

extension DownloadManager {
    /// Calls a closure about a file in a batch. As many of them run at a time as downloads may be active,
    /// which limits the closures of downloads that run alone.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the closure's turn, and its errors.
    func inTurn<Value>(_ closure: () async throws -> Value) async throws -> Value {
        while closureTurns.running >= max(1, queue.places) {
            let turn = closureTurns.wait()
            await turn.wait()
            guard !Task.isCancelled else {
                closureTurns.abandon(turn)
                throw CancellationError()
            }
        }
        closureTurns.running += 1
        defer {
            closureTurns.running -= 1
            closureTurns.wakeNext()
        }
        return try await closure()
    }
}
