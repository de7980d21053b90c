/// A value that is fetched on demand, once for all waiting callers.
package final class CachedValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var fetch: Task<Value, any Error>?
        /// The number of fetches so far.
        var count = 0
        /// The callers that wait for the fetch.
        var waiting = 0
    }

    private enum Step {
        case use(Value)
        case wait(Task<Value, any Error>, count: Int)
    }

    private let state = Lock(State())

    /// Creates a value that has not been fetched.
    package init() {}

    /// The last fetched value.
    package var last: Value? { state.withLock { $0.value } }

    /// Returns the last value if it is usable, or fetches another one. A fetch is cancelled when all of its
    /// callers are cancelled.
    ///
    /// - Throws: The errors of `fetch`, or `CancellationError`.
    package func value(
        if isUsable: (Value) -> Bool, orFetch fetch: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let step = state.withLock { state -> Step in
            if let value = state.value, isUsable(value) { return .use(value) }
            let running = state.fetch ?? Task { try await fetch() }
            if state.fetch == nil { state.count += 1 }
            state.fetch = running
            state.waiting += 1
            return .wait(running, count: state.count)
        }
        switch step {
        case .use(let value): return value
        case .wait(let running, let count): return try await wait(for: running, count)
        }
    }

    private func wait(for fetch: Task<Value, any Error>, _ count: Int) async throws -> Value {
        let result = await withTaskCancellationHandler {
            await fetch.result
        } onCancel: {
            leave(count)
        }
        try Task.checkCancellation()
        state.withLock { state in
            guard state.count == count, state.fetch != nil else { return }
            if case .success(let value) = result { state.value = value }
            (state.fetch, state.waiting) = (nil, 0)
        }
        return try result.get()
    }

    /// Cancels a fetch when its last waiting caller is cancelled.
    private func leave(_ count: Int) {
        state.withLock { state in
            guard state.count == count, let fetch = state.fetch else { return }
            state.waiting -= 1
            guard state.waiting == 0 else { return }
            fetch.cancel()
            state.fetch = nil
        }
    }
}
