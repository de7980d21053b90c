import SegmentedDLSupport

/// The hosts that have answered a request of this downloader: their names and ports are correct.
final class AnsweredHosts: Sendable {
    /// A list may contain a million hosts. Beyond this number the set is cleared.
    private static let most = 10_000
    /// The number of consecutive short responses after which the next one is expected to be short.
    private static let shortInARow = 4
    /// The duration in seconds of an outage after which the user is notified, once.
    private static let toldAfter = 1.5
    /// The number of seconds after its last failure for which a host counts as unreachable: it may be back
    /// later.
    private static let givenUpFor = 30.0
    /// If a failed attempt took at least this many seconds, the next ones are skipped for a while, because
    /// they would take as long.
    private static let costlyTry = 1.0
    /// The number of seconds for which attempts to connect to an unreachable host are skipped. Only a few,
    /// because it may recover.
    private static let sparedFor = 5.0

    /// A period during which no connection to a host succeeds.
    struct Outage: Equatable, Sendable {
        /// The time of the first failure.
        var seconds: Double
        /// True if the user must be notified now.
        var isNews: Bool
    }

    private struct Failure {
        var began: Double
        var last: Double
        var isTold = false
        var isGivenUp = false
        /// The last failure, if its attempt took long.
        var costly: EngineError?
    }

    private struct Answers {
        /// The number of short responses since the last long one.
        var short = 0
        var pauses = PauseRecord()
        var promptness = PromptnessRecord()
        var acceptsOnlyDigest = false
    }

    /// The pause that a busy host has requested.
    private struct BusyPause {
        /// The status of the refusal.
        var status: Int
        var until: Double
        var isTold: Bool
    }

    private let hosts = Lock<[String: Answers]>([:])

    /// The last pause that each busy host has requested.
    private let busy = Lock<[String: BusyPause]>([:])
    /// The ends of one pause differ by up to this many seconds between refusals, or by a tenth of it.
    private static let slackOfPause = 2.0

    /// The first failure of each host whose last connection attempt failed.
    private let unreachable = Lock<[String: Failure]>([:])

    /// Records that a connection to a host failed.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - cost: The seconds that the attempt took.
    ///   - now: Seconds on a clock that never jumps.
    /// - Returns: `nil` if the host has never answered.
    @discardableResult
    func noteUnreachable(
        _ host: String, _ error: EngineError? = nil, cost: Double = 0, now: Double = Monotonic.now()
    ) -> Outage? {
        let hasAnswered = contains(host)
        return unreachable.withLock { failures in
            if failures.count >= Self.most { failures.removeAll() }
            var failure = failures[host] ?? Failure(began: now, last: now)
            failure.last = max(failure.last, now)
            failure.costly = cost >= Self.costlyTry ? error : nil
            let seconds = now - failure.began
            let isNews = hasAnswered && !failure.isTold && seconds >= Self.toldAfter
            if isNews { failure.isTold = true }
            failures[host] = failure
            return hasAnswered ? Outage(seconds: seconds, isNews: isNews) : nil
        }
    }

    /// Records that a download has failed because it could not connect to a host, after all retries.
    func giveUp(_ host: String) {
        unreachable.withLock { $0[host]?.isGivenUp = true }
    }

    /// True if a download has failed in this way, and no connection has succeeded since: other downloads need
    /// not retry.
    func isGivenUp(_ host: String, now: Double = Monotonic.now()) -> Bool {
        unreachable.withLock { failures in
            guard let failure = failures[host], failure.isGivenUp else { return false }
            return now - failure.last <= Self.givenUpFor
        }
    }

    /// Returns the last failure of an unreachable host if a recent attempt took long. Otherwise each file of
    /// a host that drops packets would wait for the whole timeout.
    func sparedTry(at host: String, now: Double = Monotonic.now()) -> EngineError? {
        unreachable.withLock { failures in
            guard let failure = failures[host], failure.isGivenUp, now - failure.last <= Self.sparedFor else {
                return nil
            }
            return failure.costly
        }
    }

    /// Records that a busy host requests a delay.
    ///
    /// - Parameters:
    ///   - tells: False if the caller cannot notify the user.
    ///   - now: Seconds on a clock that never jumps.
    /// - Returns: True if the user must be notified now: once for each pause, which each connection reports.
    @discardableResult
    func notePause(
        _ host: String, status: Int, seconds: Double, tells: Bool = true, now: Double = Monotonic.now()
    ) -> Bool {
        busy.withLock { pauses in
            if pauses.count >= Self.most { pauses.removeAll() }
            let slack = max(Self.slackOfPause, seconds / 10)
            let known = pauses[host].flatMap {
                $0.until > now && now + seconds <= $0.until + slack ? $0 : nil
            }
            let isTold = known?.isTold ?? false
            pauses[host] = BusyPause(
                status: status, until: max(now + seconds, known?.until ?? 0), isTold: isTold || tells)
            return tells && !isTold
        }
    }

    /// The status with which a host last requested a delay; `nil` if it has not.
    func statusOfPause(of host: String) -> Int? { busy.withLock { $0[host]?.status } }

    func isUnreachable(_ host: String) -> Bool { unreachable.withLock { $0[host] != nil } }

    func contains(_ host: String) -> Bool { hosts.withLock { $0[host] != nil } }

    /// True if the host has recently sent only small files, so that another request may be pipelined; a long
    /// body would have to be requested again.
    func sendsShortBodies(_ host: String) -> Bool {
        hosts.withLock { ($0[host]?.short ?? 0) >= Self.shortInARow }
    }

    /// True if the host's bodies arrive without pauses.
    func isSteady(_ host: String) -> Bool { hosts.withLock { $0[host]?.pauses.isSteady ?? false } }

    /// Records whether a body paused while it arrived.
    func bodyEnded(of host: String, hasPaused: Bool) {
        hosts.withLock { $0[host]?.pauses.bodyEnded(hasPaused: hasPaused) }
    }

    /// True if the host has responded, and at once.
    func isPrompt(_ host: String) -> Bool { hosts.withLock { $0[host]?.promptness.isPrompt ?? false } }

    /// True if the host has refused a password, and offered nothing but digest authentication.
    func acceptsOnlyDigest(_ host: String) -> Bool {
        hosts.withLock { $0[host]?.acceptsOnlyDigest ?? false }
    }

    /// Records that the host offers nothing but digest authentication.
    func offeredOnlyDigest(_ host: String) {
        hosts.withLock { $0[host, default: Answers()].acceptsOnlyDigest = true }
    }

    /// Records that the host offers basic authentication for a file.
    func offeredBasic(_ host: String) {
        hosts.withLock { $0[host]?.acceptsOnlyDigest = false }
    }

    /// Records the seconds from a request to the head of its response.
    func responded(_ host: String, after seconds: Double) {
        hosts.withLock { $0[host]?.promptness.responded(after: seconds) }
    }

    /// - Parameters:
    ///   - isShort: True if the whole body was received with the head; `nil` if it was not received.
    ///   - now: Seconds on a clock that never jumps.
    /// - Returns: The duration in seconds of the outage that this response ends, if the user was notified of
    ///   it.
    @discardableResult
    func note(_ host: String, isShort: Bool? = nil, now: Double = Monotonic.now()) -> Double? {
        let ended = unreachable.withLock { $0.removeValue(forKey: host) }
        hosts.withLock { hosts in
            if hosts[host] == nil, hosts.count >= Self.most { hosts.removeAll() }
            switch isShort {
            case true?:
                hosts[host, default: Answers()].short += 1
                hosts[host]?.pauses.bodyEnded(hasPaused: false)
            case false?: hosts[host, default: Answers()].short = 0
            case nil: if hosts[host] == nil { hosts[host] = Answers() }
            }
        }
        return ended.flatMap { $0.isTold ? now - $0.began : nil }
    }
}

/// A record of whether a host responds at once.
struct PromptnessRecord: Equatable, Sendable {
    /// A response is prompt if its head arrives within this many seconds.
    static let promptSeconds = 1.0
    /// The number of consecutive prompt responses after a slow one that show that the host is prompt again.
    static let enough = 4

    /// The number of prompt responses since the last slow one; `nil` without a response.
    private var prompt: Int?

    mutating func responded(after seconds: Double) {
        prompt = seconds < Self.promptSeconds ? min((prompt ?? Self.enough) + 1, Self.enough) : 0
    }

    /// True if the next response is expected at once.
    var isPrompt: Bool { prompt == Self.enough }
}
