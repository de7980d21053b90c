import SegmentedDLSupport

/// The closures about files in batches that have their turn, and those that wait for it, in order.
struct ClosureTurns {
    private(set) var running = 0
    private var waiting: [AsyncEvent] = []

    /// Adds a closure.
    ///
    /// - Returns: `nil` if it has its turn; otherwise the signal to wait for.
    mutating func add(most: Int) -> AsyncEvent? {
        guard running >= most || !waiting.isEmpty else {
            running += 1
            return nil
        }
        let turn = AsyncEvent()
        waiting.append(turn)
        return turn
    }

    /// Gives waiting closures their turns, while fewer than `most` have one.
    mutating func grant(most: Int) {
        while running < most, !waiting.isEmpty {
            running += 1
            waiting.removeFirst().send()
        }
    }

    mutating func end() { running -= 1 }

    /// Removes a cancelled closure.
    ///
    /// - Returns: False if it already has its turn.
    mutating func abandon(_ turn: AsyncEvent) -> Bool {
        guard let index = waiting.firstIndex(where: { $0 === turn }) else { return false }
        waiting.remove(at: index)
        return true
    }
}

extension DownloadManager {
    /// Calls a closure about a file in a batch. As many of them run at a time as downloads may be active,
    /// which limits the closures of downloads that run alone.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the closure's turn, and its errors.
    func inTurn<Value>(_ closure: () async throws -> Value) async throws -> Value {
        if let turn = closureTurns.add(most: mostClosures) {
            grantTurns()
            await turn.wait()
            guard !Task.isCancelled || !closureTurns.abandon(turn) else { throw CancellationError() }
        }
        defer {
            closureTurns.end()
            grantTurns()
        }
        return try await closure()
    }

    /// Gives waiting closures their turns, as far as the present caps allow.
    func grantTurns() { closureTurns.grant(most: mostClosures) }

    private var mostClosures: Int { max(1, queue.places) }
}
