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

        /// The timeouts of a server's response and bytes, doubled this many times.
        func doubled(_ times: Int) -> Patience {
            var longer = self
            longer.answer = answer.map { $0 * Double(1 << times) }
            longer.bytes = bytes.map { $0 * Double(1 << times) }
            return longer
        }

        func seconds(for awaited: Awaited) -> Double? {
            switch awaited {
            case .connection: connection
            case .answer: answer
            case .bytes: bytes
            }
        }

        /// The setting of the timeout.
        func setting(for awaited: Awaited) -> DownloadError.Remedy {
            switch awaited {
            case .connection: .connectTimeout
            case .answer where hasOwnAnswer: .firstByteTimeout
            case .answer, .bytes: .lowSpeedTime
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
        var doublings = 0
        var notify: (@Sendable () -> Void)?
    }

    /// The number of bytes that a connection must receive to count as progress: some servers send the first
    /// bytes and then pause.
    static let progressBytes = 16 * 1024
    /// The maximum number of times that the timeouts are doubled.
    private static let mostDoublings = 2

    let seconds: Double
    private let state = Lock(State())

    /// - Parameter seconds: The duration after which a silence is reported.
    init(seconds: Double = 5) {
        self.seconds = seconds
    }

    func heard(now: Double) {
        state.withLock { $0.since = now }
    }

    /// The number of times that the timeouts are doubled for the next connection: once for each connection
    /// that was given up, until one makes progress, because some servers pause as long for every request.
    var doublings: Int { state.withLock { $0.doublings } }

    /// Records that a connection was given up whose timeouts were doubled this many times.
    func gaveUp(after doublings: Int) {
        state.withLock { $0.doublings = min(max($0.doublings, doublings + 1), Self.mostDoublings) }
    }

    /// Records that a connection has received more than the first bytes.
    func progressed() {
        state.withLock { $0.doublings = 0 }
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
