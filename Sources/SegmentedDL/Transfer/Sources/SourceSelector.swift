/// Which of a file's sources the next connection goes to.
///
/// A plain value: it opens nothing, waits for nothing, and is told the time.
struct SourceSelector: Equatable, Sendable {
    typealias Index = Source.Index

    /// What is known of one source.
    struct Standing: Equatable, Sendable {
        /// Bytes per second that one of its connections has got lately; `nil` if nothing tells.
        fileprivate(set) var speed: Double?
        fileprivate(set) var measuredAt = -Double.infinity
        /// How many connections it has, including those that wait for their permit.
        fileprivate(set) var connections = 0
        /// How many failures in a row, without a byte between them.
        fileprivate(set) var failures = 0
        /// Seconds on the plan's clock before which others are preferred.
        fileprivate(set) var demotedUntil = -Double.infinity
        /// Whether nothing is asked of it any more.
        fileprivate(set) var isExpelled = false
    }

    /// What follows a source's failure.
    enum Verdict: Equatable, Sendable {
        /// It may be asked again, after others.
        case demoted
        /// It is not asked again.
        case expelled
    }

    /// For how many seconds a source without a connection is taken to be as fast as it was.
    static let memory = 20.0

    /// A connection is moved to a source where it is expected to be this many times as fast.
    static let worthMoving = 2.0

    /// A segment that its connection ends within so many seconds is left to it.
    static let smallestRest = 2.0

    /// Seconds for which a silent source is passed over at first; doubled with each further failure.
    static let silencePenalty = 2.0

    private(set) var standings: [Standing]
    private let policy: RetryPolicy

    init(count: Int, policy: RetryPolicy) {
        standings = Array(repeating: Standing(), count: count)
        self.policy = policy
    }

    /// The sources that may still be asked.
    var usable: [Index] { standings.indices.filter { !standings[$0].isExpelled } }

    func isUsable(_ source: Index) -> Bool { !standings[source].isExpelled }

    // MARK: Choosing

    /// The source for one more connection: one that has not been tried, else the fastest that has room.
    ///
    /// - Parameters:
    ///   - rooms: How many more connections the host of each source takes now.
    ///   - wanted: How many connections the file is to have. At most half of them try what is not known.
    /// - Returns: `nil` if none has room.
    func next(rooms: [Int], wanted: Int, now: Double) -> Index? {
        let open = candidates(rooms: rooms, now: now)
        let fresh = open.filter { !isKnown($0, now: now) && standings[$0].connections == 0 }
        let trying = standings.indices.count { !isKnown($0, now: now) && standings[$0].connections > 0 }
        let known = open.filter { isKnown($0, now: now) }
        if let first = fresh.first, trying < max(1, wanted / 2) || known.isEmpty { return first }
        // Of equals the preferred one. What is being tried comes last.
        return open.max { (speed($0, now: now), -$0) < (speed($1, now: now), -$1) }
    }

    /// The source to wait for when none has room and no connection is at work, and for how many seconds.
    func earliest(now: Double) -> (source: Index, wait: Double)? {
        let first = usable.min {
            (standings[$0].demotedUntil, $0) < (standings[$1].demotedUntil, $1)
        }
        return first.map { ($0, max(0, standings[$0].demotedUntil - now)) }
    }

    /// Whether a connection that has ended a segment is better used at another source.
    func isOutdone(_ source: Index, rooms: [Int], wanted: Int, now: Double) -> Bool {
        guard isUsable(source), now >= standings[source].demotedUntil else { return true }
        var without = self
        without.standings[source].connections -= 1
        var rooms = rooms
        rooms[source] += 1
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

    private func candidates(rooms: [Int], now: Double) -> [Index] {
        usable.filter { rooms[$0] > 0 && now >= standings[$0].demotedUntil }
    }

    private func isKnown(_ source: Index, now: Double) -> Bool {
        let standing = standings[source]
        return standing.speed != nil && (standing.connections > 0 || now - standing.measuredAt < Self.memory)
    }

    private func speed(_ source: Index, now: Double) -> Double {
        isKnown(source, now: now) ? standings[source].speed ?? 0 : 0
    }

    // MARK: What happens

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

    /// Bytes have come since its last failure.
    mutating func delivered(_ source: Index) {
        standings[source].failures = 0
    }

    mutating func expel(_ source: Index) {
        standings[source].isExpelled = true
    }

    /// A source that was expelled in favour of another one, which has turned out to be the liar.
    mutating func readmit(_ source: Index) {
        standings[source] = Standing()
    }

    /// Its connections receive nothing although others do.
    mutating func fellSilent(_ source: Index, now: Double) {
        // Connections that fall silent together have done so once.
        guard now >= standings[source].demotedUntil else { return }
        standings[source].failures += 1
        demote(source, seconds: Self.silencePenalty, now: now)
        standings[source].speed = nil
    }

    /// - Parameters:
    ///   - others: How many other connections of this source are at work.
    ///   - hasDelivered: Whether bytes of it are in the file.
    mutating func failed(
        _ source: Index, _ failure: TransferFailure, others: Int, hasDelivered: Bool, now: Double
    ) -> Verdict {
        if isLasting(failure, hasDelivered: hasDelivered) {
            expel(source)
            return .expelled
        }
        guard others == 0 else {
            switch failure {
            // It is the host's cap, which the scheduler has learnt.
            case .busy, .network: break
            // Not at once again: the others are at work.
            default: demote(source, seconds: policy.delay, now: now)
            }
            return .demoted
        }
        if now >= standings[source].demotedUntil { standings[source].failures += 1 }
        if standings[source].failures > policy.retries {
            expel(source)
            return .expelled
        }
        if case .busy = failure { return .demoted }
        demote(source, seconds: policy.delay, now: now)
        return .demoted
    }

    private mutating func demote(_ source: Index, seconds: Double, now: Double) {
        let wait = policy.delay(failures: standings[source].failures, from: seconds)
        standings[source].demotedUntil = now + wait
    }

    private func isLasting(_ failure: TransferFailure, hasDelivered: Bool) -> Bool {
        switch failure {
        case .changed, .rangeIgnored, .encoded, .storage, .other: true
        case .refused, .signatureRefused, .redirect: !hasDelivered
        case .network(let error): error.kind == .tls || error.kind == .setting
        case .busy, .wrongRange, .failing, .shortBody, .unproven: false
        }
    }
}
