/// Chooses the source of a file's next connection.
///
/// A plain value that performs no input or output, and receives the time from its caller.
struct SourceSelector: Equatable, Sendable {
    typealias Index = Source.Index

    /// The known facts about one source.
    struct SourceStatistics: Equatable, Sendable {
        /// The recent speed of one of its connections in bytes per second; `nil` if unknown.
        fileprivate(set) var speed: Double?
        fileprivate(set) var measuredAt = -Double.infinity
        /// The number of its connections, including those that wait for a permit.
        fileprivate(set) var connections = 0
        /// The number of consecutive failures without a byte in between.
        fileprivate(set) var failures = 0
        /// The number of bytes that it had delivered at its last failure.
        fileprivate(set) var deliveredAtFailure: Int64 = 0
        /// The time in seconds on the plan's clock until which others are preferred.
        fileprivate(set) var demotedUntil = -Double.infinity
        /// True if it receives no further requests.
        fileprivate(set) var isExcluded = false
    }

    /// The reaction to a source's failure.
    enum Verdict: Equatable, Sendable {
        /// It may be used again, but other sources are preferred.
        case demoted
        /// It is never used again.
        case excluded
        /// No other source can take over: the download's retries decide.
        case isOnly
    }

    /// The number of seconds for which the last speed of a source without a connection is assumed to be
    /// valid.
    static let memorySeconds = 20.0

    /// A connection is moved to another source if that is expected to be faster by this factor.
    static let worthMoving = 2.0

    /// A segment that its connection completes within this many seconds is not moved.
    static let smallestRestSeconds = 2.0

    /// The initial time in seconds for which a silent source is skipped; doubled with each further failure.
    static let silencePenaltySeconds = 2.0

    private(set) var standings: [SourceStatistics]
    private let policy: RetryPolicy

    init(count: Int, policy: RetryPolicy) {
        standings = Array(repeating: SourceStatistics(), count: count)
        self.policy = policy
    }

    /// The sources that may still be used.
    var usable: [Index] { standings.indices.filter { !standings[$0].isExcluded } }

    func isUsable(_ source: Index) -> Bool { !standings[source].isExcluded }

    /// True if no other source may be used.
    private func isOnly(_ source: Index) -> Bool { usable == [source] }

    // MARK: Choosing

    /// Returns the source for one more connection: an untried one, or otherwise the fastest one that accepts
    /// more.
    ///
    /// - Parameters:
    ///   - rooms: The number of further connections that the host of each source accepts now. If there is
    ///     only one source, its connections wait at the scheduler, so that other files release theirs.
    ///   - wanted: The target number of connections of the file. At most half of them try unknown sources.
    /// - Returns: `nil` if no source accepts a connection.
    func next(rooms: [Int], wanted: Int, now: Double) -> Index? {
        if standings.count == 1 { return usable.first }
        let open = candidates(rooms: rooms, now: now)
        let fresh = open.filter { !isKnown($0, now: now) && standings[$0].connections == 0 }
        let trying = standings.indices.count { !isKnown($0, now: now) && standings[$0].connections > 0 }
        let known = open.filter { isKnown($0, now: now) }
        if let first = fresh.first, trying < max(1, wanted / 2) || known.isEmpty { return first }
        // Among equals, use the preferred one. Sources that are being tried rank last.
        return open.max { (speed($0, now: now), -$0) < (speed($1, now: now), -$1) }
    }

    /// The source to wait for, and the seconds to wait, if no source accepts a connection and none is active.
    func earliest(now: Double) -> (source: Index, wait: Double)? {
        let first = usable.min {
            (standings[$0].demotedUntil, $0) < (standings[$1].demotedUntil, $1)
        }
        return first.map { ($0, max(0, standings[$0].demotedUntil - now)) }
    }

    /// True if a connection that has completed a segment should switch to another source.
    func hasFasterAlternative(to source: Index, rooms: [Int], wanted: Int, now: Double) -> Bool {
        if isOnly(source) { return false }
        guard isUsable(source), now >= standings[source].demotedUntil else { return true }
        var without = self
        without.standings[source].connections -= 1
        var rooms = rooms
        // Keep an unlimited number as it is, because adding to it would overflow.
        if rooms[source] < .max { rooms[source] += 1 }
        guard let better = without.next(rooms: rooms, wanted: wanted, now: now), better != source else {
            return false
        }
        guard isKnown(better, now: now) else { return true }
        return speed(better, now: now) > speed(source, now: now) * Self.worthMoving
    }

    /// The source whose connection should be abandoned, because another source's would be much faster.
    ///
    /// - Returns: That source and the expected speed of the replacement.
    func slowest(rooms: [Int], now: Double) -> (source: Index, instead: Double)? {
        let best = candidates(rooms: rooms, now: now).filter { isKnown($0, now: now) }
            .map { speed($0, now: now) }.max()
        let slow = usable.filter { standings[$0].connections > 0 && isKnown($0, now: now) }
            .min { speed($0, now: now) < speed($1, now: now) }
        guard let best, let slow, best > speed(slow, now: now) * Self.worthMoving else { return nil }
        return (slow, best)
    }

    /// The longest of a source's segments, if another source would complete it sooner.
    ///
    /// - Parameter speed: The speed of a connection to the other source, in bytes per second.
    static func segmentToMove(
        of segments: [Segment], to speed: Double, setupTime: Double, now: Double
    ) -> Segment.ID? {
        guard let longest = segments.max(by: { $0.remaining < $1.remaining }),
            let current = longest.speed(at: now)
        else { return nil }
        let rest = Double(longest.remaining)
        let seconds = rest / max(current, 1)
        guard seconds > smallestRestSeconds, rest / speed + setupTime < seconds else { return nil }
        return longest.id
    }

    private func candidates(rooms: [Int], now: Double) -> [Index] {
        usable.filter { rooms[$0] > 0 && now >= standings[$0].demotedUntil }
    }

    private func isKnown(_ source: Index, now: Double) -> Bool {
        let standing = standings[source]
        return standing.speed != nil
            && (standing.connections > 0 || now - standing.measuredAt < Self.memorySeconds)
    }

    private func speed(_ source: Index, now: Double) -> Double {
        isKnown(source, now: now) ? standings[source].speed ?? 0 : 0
    }
}

// MARK: - Events

extension SourceSelector {
    mutating func opened(_ source: Index) {
        standings[source].connections += 1
    }

    mutating func closed(_ source: Index) {
        standings[source].connections -= 1
    }

    /// - Parameter speed: The average bytes per second of one of its connections.
    mutating func measured(_ source: Index, speed: Double, now: Double) {
        standings[source].speed = speed
        standings[source].measuredAt = now
    }

    /// Records the speeds of connections, and those abandoned since the last call.
    ///
    /// - Parameters:
    ///   - segments: All segments, including the abandoned ones.
    ///   - givenUp: The segments whose connections were just abandoned as slow or silent.
    mutating func observe(
        _ segments: [Segment], givenUp: [Segment.ID], of attribution: Attribution, now: Double
    ) {
        for source in standings.indices {
            let own = segments.filter { !$0.isRecalled && attribution.source(of: $0.id) == source }
            let speeds = own.compactMap { $0.speed(at: now) }
            if !speeds.isEmpty {
                measured(source, speed: speeds.reduce(0, +) / Double(speeds.count), now: now)
            }
            // One bad connection among several does not count against the source.
            if own.isEmpty, givenUp.contains(where: { attribution.source(of: $0) == source }) {
                fellSilent(source, now: now)
            }
        }
    }

    mutating func exclude(_ source: Index) {
        standings[source].isExcluded = true
    }

    /// Readmits a source that was excluded because it differed from another one, which turned out to be
    /// corrupt.
    mutating func readmit(_ source: Index) {
        standings[source] = SourceStatistics()
    }

    /// Records that a source's connections receive nothing although others do.
    mutating func fellSilent(_ source: Index, now: Double) {
        // Connections that fall silent simultaneously count once. If there is only one source, it is never
        // skipped.
        guard now >= standings[source].demotedUntil, !isOnly(source) else { return }
        standings[source].failures += 1
        demote(source, seconds: Self.silencePenaltySeconds, now: now)
        standings[source].speed = nil
    }

    /// - Parameters:
    ///   - others: The number of other active connections to this source.
    ///   - delivered: The number of its bytes in the file.
    mutating func failed(
        _ source: Index, _ failure: TransferFailure, others: Int, delivered: Int64, now: Double
    ) -> Verdict {
        if delivered > standings[source].deliveredAtFailure {
            standings[source].failures = 0
            standings[source].deliveredAtFailure = delivered
        }
        if isOnly(source) { return .isOnly }
        if isLasting(failure, hasDelivered: delivered > 0 || others > 0) {
            exclude(source)
            return .excluded
        }
        guard others == 0 else {
            switch failure {
            // The cause is the host's cap, which the scheduler has recorded.
            case .busy, .network: break
            // Do not reuse it immediately, because the others are active.
            default: demote(source, seconds: policy.delay.seconds, now: now)
            }
            return .demoted
        }
        if now >= standings[source].demotedUntil { standings[source].failures += 1 }
        let most = failure.isOfRanges ? min(policy.retries, RetryState.maximumWrongRanges) : policy.retries
        if standings[source].failures > most {
            exclude(source)
            return .excluded
        }
        if case .busy = failure { return .demoted }
        demote(source, seconds: max(policy.delay.seconds, failure.waitOfFile ?? 0), now: now)
        return .demoted
    }

    private mutating func demote(_ source: Index, seconds: Double, now: Double) {
        let wait = policy.delay(failures: standings[source].failures, from: seconds)
        standings[source].demotedUntil = now + wait
    }

    /// True if the failure is permanent.
    ///
    /// - Parameter hasDelivered: True if it has sent bytes, or a response whose bytes will arrive.
    private func isLasting(_ failure: TransferFailure, hasDelivered: Bool) -> Bool {
        switch failure {
        case .changed, .rangeIgnored, .encoded, .expired, .storage, .other: true
        case .refused, .signatureRefused, .redirect, .page, .directory: !hasDelivered
        case .proxyRefused(let status): status.isOfNoTunnel && !hasDelivered
        case .network(let error): error.kind == .tls || error.kind == .setting
        case .busy, .busyForFile, .wrongRange, .failing, .shortBody, .mixedUp, .unproven: false
        }
    }
}
