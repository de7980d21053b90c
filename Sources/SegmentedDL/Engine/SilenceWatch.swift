import SegmentedDLSupport

/// The time for which a download has heard nothing over any of its connections.
final class SilenceWatch: Sendable {
    /// The part of an answer that does not come.
    enum Awaited: Sendable {
        case connection, answer, bytes
    }

    /// A silence that is worth telling.
    struct Silence: Equatable, Sendable {
        var awaited: Awaited
        /// The time from which on it is told.
        var seconds: Double
        /// The address of the proxy that is silent; `nil` if it is the server, or nothing tells.
        var proxy: String?
    }

    /// The times in seconds after which a silent connection is given up; `nil` for never.
    struct Patience: Sendable {
        var connection: Double?
        var answer: Double?
        var bytes: Double?
        /// True if the limit for the answer is one of its own.
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

    /// The silence of one connection so far, against its limits. A plain value.
    struct Clock: Sendable {
        private let patience: Patience
        private var awaited: Awaited?
        private var since = 0.0

        init(_ patience: Patience) {
            self.patience = patience
        }

        /// Returns true if the connection is to be given up. libcurl itself limits the time to connect.
        ///
        /// - Parameters:
        ///   - awaited: The part that the server owes; `nil` if it owes none.
        ///   - hasHeard: True if something has come since the last call.
        mutating func isOver(awaited: Awaited?, hasHeard: Bool, now: Double) -> Bool {
            if hasHeard || awaited != self.awaited { (self.awaited, since) = (awaited, now) }
            guard let awaited, awaited != .connection, let most = patience.seconds(for: awaited) else {
                return false
            }
            return now - since >= most
        }
    }

    private struct State {
        /// The moment at which something was heard last, or the waiting began; `nil` while nothing is
        /// awaited.
        var since: Double?
        var told: Set<Awaited> = []
    }

    let seconds: Double
    private let state = Lock(State())

    /// - Parameter seconds: The length of a silence that is told.
    init(seconds: Double = 5) {
        self.seconds = seconds
    }

    func heard(now: Double) {
        state.withLock { $0.since = now }
    }

    /// A request has ended otherwise than by being replaced by another one, which goes on waiting.
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

    /// Returns true once for each thing that is awaited.
    func isFirst(_ awaited: Awaited) -> Bool {
        state.withLock { $0.told.insert(awaited).inserted }
    }
}
