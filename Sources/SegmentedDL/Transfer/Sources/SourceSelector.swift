/// Decides which of a file's sources the next connection goes to.
///
/// A plain value: it opens nothing, waits for nothing, and gets the time from its caller.
struct SourceSelector: Equatable, Sendable {
    typealias Index = Source.Index

    /// The record of one source.
    struct Standing: Equatable, Sendable {
        /// Bytes per second that one of its connections has reached lately; `nil` if that is not known.
        fileprivate(set) var speed: Double?
        fileprivate(set) var measuredAt = -Double.infinity
        /// The number of its connections, including those that wait for their permit.
        fileprivate(set) var connections = 0
        /// The number of failures in a row, without a byte between them.
        fileprivate(set) var failures = 0
        /// The number of bytes that it had delivered when it failed last.
        fileprivate(set) var deliveredAtFailure: Int64 = 0
        /// Seconds on the plan's clock before which others are preferred.
        fileprivate(set) var demotedUntil = -Double.infinity
        /// True if nothing is requested from it any more.
        fileprivate(set) var isExcluded = false
    }

    /// The consequence of a source's failure.
    enum Verdict: Equatable, Sendable {
        /// It may be used again, after others.
        case demoted
        /// It is not used again.
        case excluded
        /// No other source can take over: the download's own retries decide.
        case isOnly
    }

    /// For how many seconds a source without a connection is assumed to be as fast as it was.
    static let memorySeconds = 20.0

    /// A connection is moved to a source where it is expected to be this many times as fast.
    static let worthMoving = 2.0

    /// A segment that its connection ends within this many seconds is not moved.
    static let smallestRestSeconds = 2.0

    /// Seconds for which a silent source is passed over at first; doubled with each further failure.
    static let silencePenaltySeconds = 2.0

    private(set) var standings: [Standing]
    private let policy: RetryPolicy

    init(count: Int, policy: RetryPolicy) {
        standings = Array(repeating: Standing(), count: count)
        self.policy = policy
    }

    /// The sources that may still be used.
    var usable: [Index] { standings.indices.filter { !standings[$0].isExcluded } }

    func isUsable(_ source: Index) -> Bool { !standings[source].isExcluded }

    /// True if no other source may be used.
    private func isOnly(_ source: Index) -> Bool { usable == [source] }

    // MARK: Choosing

    /// The source for one more connection: one that has not been tried, else the fastest that has room.
    ///
    /// - Parameters:
    ///   - rooms: How many more connections the host of each source takes now. The connections of a single
    ///     source
    ///     wait for room at the scheduler, so that other files give theirs up for it.
    ///   - wanted: How many connections the file is to have. At most half of them try unknown sources.
    /// - Returns: `nil` if none has room.
    func next(rooms: [Int], wanted: Int, now: Double) -> Index? {
        if standings.count == 1 { return usable.first }
        let open = candidates(rooms: rooms, now: now)
        let fresh = open.filter { !isKnown($0, now: now) && standings[$0].connections == 0 }
        let trying = standings.indices.count { !isKnown($0, now: now) && standings[$0].connections > 0 }
        let known = open.filter { isKnown($0, now: now) }
        if let first = fresh.first, trying < max(1, wanted / 2) || known.isEmpty { return first }
        // Of equals the preferred one. Sources that are being tried come last.
        return open.max { (speed($0, now: now), -$0) < (speed($1, now: now), -$1) }
    }

    /// The source to wait for if none has room and no connection is at work, and for how many seconds.
    func earliest(now: Double) -> (source: Index, wait: Double)? {
        let first = usable.min {
            (standings[$0].demotedUntil, $0) < (standings[$1].demotedUntil, $1)
        }
        return first.map { ($0, max(0, standings[$0].demotedUntil - now)) }
    }

    /// True if a connection that has ended a segment is better used at another source.
    func hasFasterAlternative(to source: Index, rooms: [Int], wanted: Int, now: Double) -> Bool {
        if isOnly(source) { return false }
        guard isUsable(source), now >= standings[source].demotedUntil else { return true }
        var without = self
        without.standings[source].connections -= 1
        var rooms = rooms
        // An unlimited room stays one: adding to it would overflow.
        if rooms[source] < .max { rooms[source] += 1 }
        guard let better = without.next(rooms: rooms, wanted: wanted, now: now), better != source else {
            return false
        }
        guard isKnown(better, now: now) else { return true }
        return speed(better, now: now) > speed(source, now: now) * Self.worthMoving
    }

    /// The source whose connection is to be given up, because one of another source would be much faster.
    ///
    /// - Returns: That source, and the speed that its connection would have instead.
    func slowest(rooms: [Int], now: Double) -> (source: Index, instead: Double)? {
        let best = candidates(rooms: rooms, now: now).filter { isKnown($0, now: now) }
            .map { speed($0, now: now) }.max()
        let slow = usable.filter { standings[$0].connections > 0 && isKnown($0, now: now) }
            .min { speed($0, now: now) < speed($1, now: now) }
        guard let best, let slow, best > speed(slow, now: now) * Self.worthMoving else { return nil }
        return (slow, best)
    }

    /// The longest of a source's segments, if another source would end it sooner.
    ///
    /// - Parameter speed: Bytes per second that a connection of the other source reaches.
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

    /// - Parameter speed: Bytes per second of one of its connections, on average.
    mutating func measured(_ source: Index, speed: Double, now: Double) {
        standings[source].speed = speed
        standings[source].measuredAt = now
    }

    /// Records how fast connections are, and which of them were given up since the last time.
    ///
    /// - Parameters:
    ///   - segments: All segments, including those that were given up.
    ///   - givenUp: The segments whose connections have just been given up because they are slow or silent.
    mutating func observe(
        _ segments: [Segment], givenUp: [Segment.ID], of attribution: Attribution, now: Double
    ) {
        for source in standings.indices {
            let own = segments.filter { !$0.isRecalled && attribution.source(of: $0.id) == source }
            let speeds = own.compactMap { $0.speed(at: now) }
            if !speeds.isEmpty {
                measured(source, speed: speeds.reduce(0, +) / Double(speeds.count), now: now)
            }
            // One bad connection of several is not the source's fault.
            if own.isEmpty, givenUp.contains(where: { attribution.source(of: $0) == source }) {
                fellSilent(source, now: now)
            }
        }
    }

    mutating func exclude(_ source: Index) {
        standings[source].isExcluded = true
    }

    /// Uses a source again that was excluded in favour of another one, which has turned out to be corrupt.
    mutating func readmit(_ source: Index) {
        standings[source] = Standing()
    }

    /// Its connections receive nothing although others do.
    mutating func fellSilent(_ source: Index, now: Double) {
        // Connections that fall silent together have done so once. The only source is not passed over.
        guard now >= standings[source].demotedUntil, !isOnly(source) else { return }
        standings[source].failures += 1
        demote(source, seconds: Self.silencePenaltySeconds, now: now)
        standings[source].speed = nil
    }

    /// - Parameters:
    ///   - others: How many other connections of this source are at work.
    ///   - delivered: How many bytes of it are in the file.
    mutating func failed(
        _ source: Index, _ failure: TransferFailure, others: Int, delivered: Int64, now: Double
    ) -> Verdict {
        if delivered > standings[source].deliveredAtFailure {
            standings[source].failures = 0
            standings[source].deliveredAtFailure = delivered
        }
        if isOnly(source) { return .isOnly }
        if isLasting(failure, hasDelivered: delivered > 0) {
            exclude(source)
            return .excluded
        }
        guard others == 0 else {
            switch failure {
            // The reason is the host's cap, which the scheduler has learnt.
            case .busy, .network: break
            // Not again at once, because the others are at work.
            default: demote(source, seconds: policy.delay.seconds, now: now)
            }
            return .demoted
        }
        if now >= standings[source].demotedUntil { standings[source].failures += 1 }
        if standings[source].failures > policy.retries {
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

    /// True if the failure will not pass.
    private func isLasting(_ failure: TransferFailure, hasDelivered: Bool) -> Bool {
        switch failure {
        case .changed, .rangeIgnored, .encoded, .storage, .other: true
        case .refused, .signatureRefused, .redirect, .page, .directory: !hasDelivered
        case .proxyRefused(let status): status.code < 500 && !hasDelivered
        case .network(let error): error.kind == .tls || error.kind == .setting
        case .busy, .busyForFile, .wrongRange, .failing, .shortBody, .mixedUp, .unproven: false
        }
    }
}
