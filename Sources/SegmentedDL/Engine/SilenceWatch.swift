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

        func seconds(for awaited: Awaited) -> Double? { awaited == .connection ? connection : answer }
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
