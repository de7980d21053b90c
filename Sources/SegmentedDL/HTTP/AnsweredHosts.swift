import SegmentedDLSupport

/// The hosts that have answered a request of this downloader: their names and ports are right.
final class AnsweredHosts: Sendable {
    /// A list may name a million hosts. Beyond this number the set begins again.
    private static let most = 10_000
    /// The number of short answers in a row after which the next one is expected to be short, too.
    private static let shortInARow = 4
    /// The seconds of an outage after which the user is told of it, once.
    private static let toldAfter = 1.5
    /// The seconds after its last failure in which a host counts as given up: it may be back after that.
    private static let givenUpFor = 30.0
    /// The seconds of a failed try from which on one that follows at once is spared: it would wait as long.
    private static let costlyTry = 1.0
    /// The seconds for which tries at a host that is given up are spared: a few, because it may be back.
    private static let sparedFor = 5.0

    /// A time in which no connection to a host can be made.
    struct Outage: Equatable, Sendable {
        /// Since the first failure.
        var seconds: Double
        /// True if the user is to be told of it now.
        var isNews: Bool
    }

    private struct Failure {
        var began: Double
        var last: Double
        var isTold = false
        var isGivenUp = false
        /// The last failure, if it took long.
        var costly: EngineError?
    }

    /// The short answers of each host after the last long one.
    private let hosts = Lock<[String: Int]>([:])

    /// The first failure of each host to which the last connection failed.
    private let unreachable = Lock<[String: Failure]>([:])

    /// Notes that no connection to a host could be made: its address may be another one by now.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - cost: The seconds that the try took.
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

    /// Notes that a download has failed because no connection to a host could be made, after all retries.
    func giveUp(_ host: String) {
        unreachable.withLock { $0[host]?.isGivenUp = true }
    }

    /// True if a download has failed so, and no connection could be made since: others need not retry.
    func isGivenUp(_ host: String, now: Double = Monotonic.now()) -> Bool {
        unreachable.withLock { failures in
            guard let failure = failures[host], failure.isGivenUp else { return false }
            return now - failure.last <= Self.givenUpFor
        }
    }

    /// Returns the last failure at a host that is given up, if a try cost long and was made a moment ago:
    /// each file of a host that drops packets would otherwise wait for the whole limit.
    func sparedTry(at host: String, now: Double = Monotonic.now()) -> EngineError? {
        unreachable.withLock { failures in
            guard let failure = failures[host], failure.isGivenUp, now - failure.last <= Self.sparedFor else {
                return nil
            }
            return failure.costly
        }
    }

    func isUnreachable(_ host: String) -> Bool { unreachable.withLock { $0[host] != nil } }

    func contains(_ host: String) -> Bool { hosts.withLock { $0[host] != nil } }

    /// True if the host has sent small files only of late, so that another request may be sent ahead of its
    /// answers: a long body would have to be asked for again.
    func sendsShortBodies(_ host: String) -> Bool {
        hosts.withLock { $0[host, default: 0] >= Self.shortInARow }
    }

    /// - Parameters:
    ///   - isShort: True if the whole body came along with the head; `nil` if it was not awaited.
    ///   - now: Seconds on a clock that never jumps.
    /// - Returns: The seconds of the outage that this answer ends, if the user was told of it.
    @discardableResult
    func note(_ host: String, isShort: Bool? = nil, now: Double = Monotonic.now()) -> Double? {
        let ended = unreachable.withLock { $0.removeValue(forKey: host) }
        hosts.withLock { hosts in
            if hosts[host] == nil, hosts.count >= Self.most { hosts.removeAll() }
            switch isShort {
            case true?: hosts[host, default: 0] += 1
            case false?: hosts[host] = 0
            case nil: if hosts[host] == nil { hosts[host] = 0 }
            }
        }
        return ended.flatMap { $0.isTold ? now - $0.began : nil }
    }
}
