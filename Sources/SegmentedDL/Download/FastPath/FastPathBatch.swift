import SegmentedDLSupport

/// Files that were added to the fast path together.
package final class FastPathBatch: Sendable {
    package enum Event: Sendable {
        /// Downloads have ended on the fast path.
        case ended([FastPath.End])
        /// Downloads must be started as ordinary ones.
        case left([FastPath.Entry])
    }

    private struct State {
        /// The number of files that have neither ended nor left the fast path.
        var rest: Int
        var events: [Event] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Lock<State>

    init(count: Int) {
        state = Lock(State(rest: count))
    }

    /// Returns the next event; `nil` after the last one. It also waits in a cancelled task, because the fast
    /// path then ends the files itself. Only one task may call it.
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

    /// Drops files that had not been requested when the fast path was cancelled.
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
