import SegmentedDLSupport

/// One connection of the fast path, which supplies the engine's thread with requests.
final class FastPathLine: FastPathSource {
    /// The number of responses, and the seconds, after which the connection is closed if other downloads are
    /// waiting.
    private static let turn = (answers: 64, seconds: 1.0)
    /// The number of seconds without a request after which it is closed.
    private static let idleSeconds = 0.1

    private struct State {
        var answers = 0
        var wasOpened = false
        var wasAsked = false
        var refusal: ResponseVerdict?
        var began = Monotonic.now()
        var idleSince: Double?
    }

    private let path: FastPath
    private let host: String
    /// True if it is a stream of a connection, which is cheap to reopen.
    private let isStream: Bool
    private let state = Lock(State())

    init(_ path: FastPath, _ host: String, isStream: Bool = false) {
        self.path = path
        self.host = host
        self.isStream = isStream
    }

    /// True if it was not opened, or delivered no response.
    var wasUseless: Bool { state.withLock { !$0.wasOpened || $0.wasAsked && $0.answers == 0 } }
    /// The host's refusal, if the host limits its requests.
    var refusal: ResponseVerdict? { state.withLock { $0.refusal } }

    func next(isBehind: Bool) -> FastPathNext {
        let now = Monotonic.now()
        let (wasUsed, isTurnOver) = state.withLock { state in
            state.wasOpened = true
            let isOver = state.answers >= Self.turn.answers || now - state.began >= Self.turn.seconds
            return (state.answers > 0, isOver)
        }
        if wasUsed, path.mustYield || isTurnOver && path.othersWait { return .close }
        let next = path.next(host, endsIdle: isStream, isBehind: isBehind)
        return state.withLock { state in
            switch next {
            case .send:
                state.wasAsked = true
                state.idleSince = nil
            case .wait where isBehind: break
            case .wait:
                let since = state.idleSince ?? now
                state.idleSince = since
                if now - since >= Self.idleSeconds { return .close }
            case .close: break
            }
            return next
        }
    }

    func answered(_ id: Int, _ answer: FastPathAnswer) -> Bool {
        let refusal = path.answered(id, answer, from: host)
        return state.withLock { state in
            switch answer {
            case .lost, .notAnswered: break
            case .complete, .otherwise, .malformed: state.answers += 1
            }
            state.refusal = refusal ?? state.refusal
            return refusal == nil
        }
    }
}
