import SegmentedDLSupport

/// Files that were added to the fast path together.
package final class FastPathBatch: Sendable {
    package enum Event: Sendable {
        /// Downloads have ended here.
        case ended([FastPath.End])
        /// Downloads must begin in the ordinary way.
        case left([FastPath.Entry])
    }

    private struct State {
        /// The number of files that have not ended, and have not left.
        var rest: Int
        var events: [Event] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Lock<State>

    init(count: Int) {
        state = Lock(State(rest: count))
    }

    /// Returns the next event; `nil` if none follows. It also waits in a task that was cancelled: the fast
    /// path itself ends its files then. Only one task may call it.
    package func next() async -> Event? {
        while true {
            let (event, isOver) = state.withLock { state -> (Event?, Bool) in
                guard state.events.isEmpty else { return (state.events.removeFirst(), false) }
                return (nil, state.rest == 0)
            }
            if event != nil || isOver { return event }
            await withCheckedContinuation { continuation in
                let hasNews = state.withLock { state in
                    if !state.events.isEmpty || state.rest == 0 { return true }
                    state.waiter = continuation
                    return false
                }
                if hasNews { continuation.resume() }
            }
        }
    }

    func end(_ ends: [FastPath.End]) { add(.ended(ends), of: ends.count) }

    func leave(_ files: [FastPath.Entry]) { add(.left(files), of: files.count) }

    /// Drops files that were not requested before the fast path was cancelled.
    func drop(_ count: Int) { add(nil, of: count) }

    private func add(_ event: Event?, of count: Int) {
        guard count > 0 else { return }
        let waiter = state.withLock { state in
            state.rest -= count
            if let event { state.events.append(event) }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
