import SegmentedDLSupport

/// Measures the time since a download received any data on any of its connections.
final class SilenceWatch: Sendable {
    /// The part of a response that is awaited.
    enum Awaited: Sendable {
        case connection, answer, bytes
    }

    /// A silence to report.
    struct Silence: Equatable, Sendable {
        var awaited: Awaited
        /// The duration after which the silence is reported.
        var seconds: Double
        /// The address of the silent proxy; `nil` if the server is silent, or if this is unknown.
        var proxy: String?
    }

    /// The timeouts in seconds for a silent connection; `nil` for none.
    struct Patience: Sendable {
        var connection: Double?
        var answer: Double?
        var bytes: Double?
        /// True if the timeout for the response was set separately.
        var hasOwnAnswer = false

        func seconds(for awaited: Awaited) -> Double? {
            switch awaited {
            case .connection: connection
            case .answer: answer
            case .bytes: bytes
            }
        }

        /// The option that sets the timeout.
        func option(for awaited: Awaited) -> String {
            switch awaited {
            case .connection: "--connect-timeout"
            case .answer where hasOwnAnswer: "--first-byte-timeout"
            case .answer, .bytes: "--low-speed-time"
            }
        }
    }

    /// The duration of one connection's silence so far, compared with its timeouts. A plain value.
    struct Clock: Sendable {
        private let patience: Patience
        private var awaited: Awaited?
        private var since = 0.0

        init(_ patience: Patience) {
            self.patience = patience
        }

        /// Returns true if the timeout has expired. The connection phase is limited by libcurl itself.
        ///
        /// - Parameters:
        ///   - awaited: The part of the response that is awaited; `nil` for none.
        ///   - hasHeard: True if any data has arrived since the last call.
        mutating func isOver(awaited: Awaited?, hasHeard: Bool, now: Double) -> Bool {
            if hasHeard || awaited != self.awaited { (self.awaited, since) = (awaited, now) }
            guard let awaited, awaited != .connection, let most = patience.seconds(for: awaited) else {
                return false
            }
            return now - since >= most
        }
    }

    private struct State {
        /// The time at which data last arrived, or at which the wait began; `nil` while no data is awaited.
        var since: Double?
        var told: Set<Awaited> = []
        var notify: (@Sendable () -> Void)?
    }

    let seconds: Double
    private let state = Lock(State())

    /// - Parameter seconds: The duration after which a silence is reported.
    init(seconds: Double = 5) {
        self.seconds = seconds
    }

    func heard(now: Double) {
        state.withLock { $0.since = now }
    }

    /// Records that a request has ended, unless another one replaces it and continues to wait.
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

    /// Returns true once for each awaited part, and then also calls the closure set with `onSilence`.
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
