internal import SegmentedDLSupport

/// Counts the requests in progress, and decides whether further ones are accepted.
final class RequestGate: Sendable {
    private struct State {
        var isOpen = true
        var count = 0
    }

    private let state = Lock(State())
    private let idle = AsyncEvent()

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// - Returns: False if the request must be refused.
    func enter() -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.count += 1
            return true
        }
    }

    func leave() {
        let isIdle = state.withLock { state in
            state.count -= 1
            return !state.isOpen && state.count == 0
        }
        if isIdle { idle.send() }
    }

    /// Returns when all requests in progress have ended; further ones are refused.
    func close() async {
        let isBusy = state.withLock { state in
            state.isOpen = false
            return state.count > 0
        }
        if isBusy { await idle.wait() }
    }
}
