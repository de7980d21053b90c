/// A value that is fetched on demand, once for all waiting callers.
package final class CachedValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var fetch: Task<Void, Never>?
        /// The number of fetches so far.
        var count = 0
        /// The callers that wait for the fetch.
        var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
        var lastCaller = 0
    }

    private let outlivesCallers: Bool
    private let state = Lock(State())

    /// Creates a value that has not been fetched.
    ///
    /// - Parameter outlivesCallers: True to continue a fetch whose callers have all been cancelled, for later
    ///   ones.
    package init(outlivesCallers: Bool = false) {
        self.outlivesCallers = outlivesCallers
    }

    /// The last fetched value.
    package var last: Value? { state.withLock { $0.value } }

    /// Returns the last value if it is usable, or fetches another one.
    ///
    /// - Throws: The errors of `fetch`, or `CancellationError`.
    package func value(
        if isUsable: (Value) -> Bool, orFetch fetch: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let caller = state.withLock { state in
            state.lastCaller += 1
            return state.lastCaller
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Value? in
                    if let value = state.value, isUsable(value) { return value }
                    state.waiting[caller] = continuation
                    if state.fetch == nil { begin(fetch, &state) }
                    return nil
                }
                if let known {
                    continuation.resume(returning: known)
                } else if Task.isCancelled {
                    leave(caller)
                }
            }
        } onCancel: {
            leave(caller)
        }
    }

    private func begin(_ fetch: @escaping @Sendable () async throws -> Value, _ state: inout State) {
        state.count += 1
        state.fetch = Task { [count = state.count] in
            do {
                end(count, .success(try await fetch()))
            } catch {
                end(count, .failure(error))
            }
        }
    }

    private func end(_ count: Int, _ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            guard state.count == count, state.fetch != nil else {
                return [CheckedContinuation<Value, any Error>]()
            }
            if case .success(let value) = result { state.value = value }
            defer { (state.fetch, state.waiting) = (nil, [:]) }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(with: result) }
    }

    /// Ends the wait of a cancelled caller, and the fetch with that of the last one.
    private func leave(_ caller: Int) {
        let (continuation, fetch) = state.withLock { state in
            let continuation = state.waiting.removeValue(forKey: caller)
            guard continuation != nil, state.waiting.isEmpty, !outlivesCallers else {
                return (continuation, Task<Void, Never>?.none)
            }
            defer { state.fetch = nil }
            return (continuation, state.fetch)
        }
        fetch?.cancel()
        continuation?.resume(throwing: CancellationError())
    }
}
