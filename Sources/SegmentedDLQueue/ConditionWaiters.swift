internal import SegmentedDL

/// The calls that wait for a condition of the queue.
struct ConditionWaiters {
    private struct Waiter {
        let isMet: @Sendable (QueueState) -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private var waiters: [Receipt.ID?: [Int: Waiter]] = [:]
    private var last = 0

    /// Returns a number for the next call.
    mutating func makeNumber() -> Int {
        last += 1
        return last
    }

    /// - Parameter id: The download whose changes can fulfil the condition; `nil` for any.
    mutating func insert(
        _ number: Int, on id: Receipt.ID?, isMet: @escaping @Sendable (QueueState) -> Bool,
        _ continuation: CheckedContinuation<Void, any Error>
    ) {
        waiters[id, default: [:]][number] = Waiter(isMet: isMet, continuation: continuation)
    }

    /// Ends a wait with `CancellationError`.
    mutating func cancel(_ number: Int, on id: Receipt.ID?) {
        waiters[id]?.removeValue(forKey: number)?.continuation.resume(throwing: CancellationError())
    }

    static let shutDownError = DownloadError(
        .shutDown, "The download manager was shut down; create a new one.")

    /// Ends all waits, because the manager is shut down.
    mutating func cancelAll() {
        for waiter in waiters.values.flatMap(\.values) {
            waiter.continuation.resume(throwing: Self.shutDownError)
        }
        waiters = [:]
    }

    /// Ends the waits whose conditions are met after changes of these downloads.
    ///
    /// - Parameter andOfAny: True to include waits that any download can end.
    mutating func wake(changed: Set<Receipt.ID>, _ queue: QueueState, andOfAny: Bool = true) {
        for id in changed.map(Optional.some) + (andOfAny ? [nil] : []) {
            guard let here = waiters[id] else { continue }
            let met = here.filter { $0.value.isMet(queue) }
            waiters[id] = met.count == here.count ? nil : here.filter { met[$0.key] == nil }
            for waiter in met.values { waiter.continuation.resume() }
        }
    }
}
