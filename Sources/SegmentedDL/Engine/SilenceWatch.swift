import SegmentedDLSupport

/// The time since a download received anything over any of its connections.
final class SilenceWatch: Sendable {
    /// The missing part of an answer.
    enum Awaited: Sendable {
        case connection, answer, bytes
    }

    /// A silence that must be reported.
    struct Silence: Equatable, Sendable {
        var awaited: Awaited
        /// The time after which it is reported.
        var seconds: Double
        /// The address of the silent proxy; `nil` if it is the server, or unknown.
        var proxy: String?
    }

    /// The timeouts in seconds for a silent connection; `nil` for never.
    struct Patience: Sendable {
        var connection: Double?
        var answer: Double?
        var bytes: Double?
        /// True if the limit for the answer was set separately.
        var hasOwnAnswer = false

        func seconds(for awaited: Awaited) -> Double? {
            switch awaited {
            case .connection: connection
            case .answer: answer
            case .bytes: bytes
            }
        }

        /// The option that sets the limit.
        func option(for awaited: Awaited) -> String {
            switch awaited {
            case .connection: "--connect-timeout"
            case .answer where hasOwnAnswer: "--first-byte-timeout"
            case .answer, .bytes: "--low-speed-time"
            }
        }
    }

    /// The silence of one connection so far, compared with its limits. A plain value.
    struct Clock: Sendable {
        private let patience: Patience
        private var awaited: Awaited?
        private var since = 0.0

        init(_ patience: Patience) {
            self.patience = patience
        }

        /// Returns true if the connection must be given up. libcurl itself limits the time to connect.
        ///
        /// - Parameters:
        ///   - awaited: The awaited part of the answer; `nil` for none.
        ///   - hasHeard: True if anything has arrived since the last call.
        mutating func isOver(awaited: Awaited?, hasHeard: Bool, now: Double) -> Bool {
            if hasHeard || awaited != self.awaited { (self.awaited, since) = (awaited, now) }
            guard let awaited, awaited != .connection, let most = patience.seconds(for: awaited) else {
                return false
            }
            return now - since >= most
        }
    }

    private struct State {
        /// The time at which anything last arrived, or the waiting began; `nil` while nothing is awaited.
        var since: Double?
        var told: Set<Awaited> = []
        var notify: (@Sendable () -> Void)?
    }

    let seconds: Double
    private let state = Lock(State())

    /// - Parameter seconds: The minimum length of a reported silence.
    init(seconds: Double = 5) {
        self.seconds = seconds
    }

    func heard(now: Double) {
        state.withLock { $0.since = now }
    }

    /// A request has ended other than by being replaced by one that continues to wait.
    func ended() {
        state.withLock { $0.since = nil }
    }

    /// Returns true if the silence has lasted long enough. It begins with the first call after a request.
    func lasts(now: Double) -> Bool {
        state.withLock { state in
            guard let since = state.since else {
                state.since = now
                return false
            }
            return now - since >= seconds
        }
    }

    /// Returns true once for each awaited part, and notifies the one who waits for a silence.
    func isFirst(_ awaited: Awaited) -> Bool {
        let (isFirst, notify) = state.withLock { ($0.told.insert(awaited).inserted, $0.notify) }
        if isFirst { notify?() }
        return isFirst
    }

    /// Sets the closure to call when a silence has lasted long enough, once for each awaited part. It is
    /// called on the engine's thread.
    func onSilence(_ notify: (@Sendable () -> Void)?) {
        state.withLock { $0.notify = notify }
    }
}
