/// Which connection fetches which bytes of one file.
///
/// A plain value: it owns no connection and no clock. Every byte is in exactly one of these states:
/// *written* (on disk), *assigned* (inside a segment) or *free*.
struct SegmentPlan: Sendable {
    /// The file's length in bytes; `nil` until a stream without a length has ended.
    private(set) var total: Int64?

    /// What is on disk.
    private(set) var written: ByteRangeSet

    /// The segments that connections are working on.
    private(set) var segments = SegmentList()

    /// What nobody has been assigned yet, each range the share of one connection.
    private var free: [ByteRange]

    /// True if bytes that are on disk may be received and written once more. False where it is recorded which source
    /// sent them, or where they have been verified.
    var mayRewrite = true

    private var nextID = 0

    /// Seconds on the plan's clock before which nothing is stolen.
    private var stealsAgain = -Double.infinity
    private static let stealPause = 5.0

    /// How fast connections were that have ended in the last seconds.
    private var recentSpeeds: [(at: Double, speed: Double)] = []

    /// When a byte was last seen to arrive over any connection, or one was given up because none did.
    private var quietSince = -Double.infinity

    /// For how many seconds everything may be silent before one connection is given up.
    private var silencePatience = CrawlRule.longestSilence

    /// How many connections in a row never got going.
    private var stillborn = 0

    /// Until when no other connection is tried as long as one works, and for how long that will be the next time.
    private var reliesUntil = -Double.infinity
    private var reliance = CrawlRule.shortestReliance

    /// From when on connections are judged by what comes over them.
    private var judgesFrom = -Double.infinity

    /// The slowest first byte so far, in seconds: what a further connection is expected to cost.
    private(set) var setupTime = 0.0

    /// - Parameters:
    ///   - total: The length in bytes, or `nil` for a stream whose end only its closing tells.
    ///   - written: What an earlier run left on disk.
    init(total: Int64?, written: ByteRangeSet = ByteRangeSet()) {
        self.total = total
        self.written = written
        let whole = 0..<(total ?? Int64.max)
        free = Array(ByteRangeSet(whole).subtracting(written).ranges)
    }

    /// Whether every byte is on disk.
    var isComplete: Bool {
        guard let total else { return false }
        return total == 0 || written.ranges.first == 0..<total
    }

    /// The first byte that is not on disk, or `nil` if none is missing.
    var firstMissing: Int64? { gaplessEnd == total ? nil : gaplessEnd }

    /// Everything below is on disk.
    var gaplessEnd: Int64 { written.ranges.first.map { $0.lowerBound > 0 ? 0 : $0.upperBound } ?? 0 }

    /// How many connections would find work, counted up to `limit`.
    func openings(now: Double, atMost limit: Int = 1) -> Int {
        if reliesOnOthers(now: now) { return 0 }
        if free.count >= limit || total == nil { return min(free.count, limit) }
        var trial = self
        return (0..<limit).first { _ in trial.next(now: now) == nil } ?? limit
    }

    /// Whether one more connection would bring something, by the speed of those at work: not before there is one, or
    /// time enough has passed without.
    func isWorthConnecting(now: Double) -> Bool {
        guard let total else { return false }
        let speeds = segments.values.compactMap { $0.speed(at: now) }
        guard !speeds.isEmpty else {
            return segments.values.allSatisfy { now - $0.began > StealRule.longestObservation }
        }
        let missing = Double(total - written.byteCount)
        return missing / max(speeds.reduce(0, +), 1) > setupTime + StealRule.smallestGain
    }

    // MARK: Assigning

    /// Cuts what is free into near-equal shares, so that `connections` connections find one each.
    ///
    /// - Parameter minimum: No share is made smaller than this many bytes by the cut.
    mutating func divide(among connections: Int, minimum: Int64) {
        guard total != nil else { return }
        free = Division(connections: connections, minimum: minimum).equal(free)
    }

    /// Cuts what is free into pieces to be fetched in order, so that what is on disk without a gap from the first byte
    /// on is never far behind.
    mutating func divideInOrder(among connections: Int, minimum: Int64) {
        guard total != nil else { return }
        free = Division(connections: connections, minimum: minimum).ordered(free)
    }

    /// Assigns the free range that starts at `offset`, which is where an already open answer begins.
    ///
    /// - Parameter bodyEnd: Where that answer's body ends; it may be beyond the segment.
    /// - Returns: `nil` if no free byte is there; the answer's body is then of no use.
    mutating func assign(at offset: Int64, bodyEnd: Int64? = nil, now: Double) -> Segment? {
        guard let index = free.firstIndex(where: { $0.contains(offset) }) else { return nil }
        let range = free[index]
        if range.lowerBound < offset {
            free[index] = range.lowerBound..<offset
        } else {
            free.remove(at: index)
        }
        let segment = add(offset..<range.upperBound, bodyEnd: bodyEnd, now: now)
        answered(segment.id)
        return segments[segment.id]
    }

    /// The work for a connection that has none: a free range, else the tail of the segment that would
    /// end last.
    ///
    /// - Returns: `nil` when one more connection would not end the download earlier.
    mutating func next(now: Double) -> Segment? {
        guard !reliesOnOthers(now: now) else { return nil }
        if !free.isEmpty {
            return add(free.removeFirst(), now: now)
        }
        guard total != nil, let steal = bestSteal(now: now) else { return nil }
        let tail = steal.cut..<steal.victim.end
        segments[steal.victim.id]?.end = steal.cut
        return add(tail, now: now)
    }

    private func bestSteal(now: Double) -> (victim: Segment, cut: Int64)? {
        guard now >= stealsAgain else { return nil }
        var speeds = segments.values.compactMap { $0.speed(at: now) }
        if speeds.isEmpty { speeds = recentSpeeds.filter { $0.at > now - CrawlRule.memory }.map(\.speed) }
        let average = speeds.isEmpty ? nil : speeds.reduce(0, +) / Double(speeds.count)
        // Where others never got going, the victim is left enough to be still at work when that is known again.
        let risk = stillborn > 0 ? CrawlRule.longestSetup : 0
        let rule = StealRule(setupTime: setupTime + risk, thiefSpeed: average)

        func secondsLeft(_ segment: Segment) -> Double {
            // One that has received nothing yet is taken to run as the others do.
            let speed = segment.speed(at: now) ?? average ?? 1
            return Double(segment.remaining) / max(speed, 1)
        }
        var best: (victim: Segment, cut: Int64)?
        var longest = -Double.infinity
        for victim in segments.values where isWorthCutting(victim, secondsLeft(victim), now: now) {
            let seconds = secondsLeft(victim)
            guard seconds > longest else { continue }
            let speed = victim.speed(at: now) ?? average
            if let cut = rule.cut(claimed: victim.claimed, end: victim.end, victimSpeed: speed) {
                (best, longest) = ((victim, cut), seconds)
            }
        }
        return best
    }

    /// Whether a segment has shown how fast it is, or is long enough not to wait for that: one that has just begun, and
    /// ends soon, would be cut into ever smaller pieces by all who have no work at the end, and each cut costs a connection.
    private func isWorthCutting(_ segment: Segment, _ secondsLeft: Double, now: Double) -> Bool {
        segment.speed(at: now) != nil || now - segment.began >= StealRule.longestObservation
            || secondsLeft >= StealRule.shortestRest
    }

    private mutating func add(_ range: ByteRange, bodyEnd: Int64? = nil, now: Double) -> Segment {
        let segment = Segment(
            id: nextID, start: range.lowerBound, claimed: range.lowerBound,
            received: range.lowerBound, end: range.upperBound, bodyEnd: bodyEnd ?? range.upperBound,
            began: now)
        nextID += 1
        // Nobody can have been silent before.
        if segments.isEmpty { quietSince = now }
        segments[segment.id] = segment
        return segment
    }

    // MARK: Receiving

    /// Reserves the next bytes of a segment for its connection: from here on they cannot be stolen.
    ///
    /// - Parameter atMost: How many bytes, at least 1.
    /// - Returns: The claimed range, or `nil` when the segment has reached its end.
    mutating func claim(_ id: Segment.ID, atMost: Int64, now: Double) -> ByteRange? {
        guard var segment = segments[id], segment.remaining > 0 else { return nil }
        if segment.firstByteAt == nil { setupTime = max(setupTime, now - segment.began) }
        let range = segment.claimed..<(segment.claimed + min(atMost, segment.remaining))
        segment.arrived(upTo: range.lowerBound, now: now)
        segment.claimed = range.upperBound
        segments[id] = segment
        bytesCame(now: now)
        return range
    }

    /// Notes how far a segment's bytes have arrived.
    ///
    /// - Returns: Whether its connection is to be given up.
    mutating func note(_ id: Segment.ID, received: Int64, now: Double) -> Bool {
        guard var segment = segments[id] else { return true }
        if received > segment.received {
            segment.arrived(upTo: received, now: now)
            segments[id] = segment
            bytesCame(now: now)
        }
        return segment.isRecalled
    }

    private mutating func bytesCame(now: Double) {
        quietSince = now
        silencePatience = CrawlRule.longestSilence
    }

    /// Notes how long a first byte took that came before there was a plan.
    mutating func noteSetup(_ seconds: Double) {
        setupTime = max(setupTime, seconds)
    }

    /// Records bytes that are on disk now.
    mutating func wrote(_ range: ByteRange) {
        written.insert(contentsOf: range)
    }

    /// Takes back that bytes are on disk: they are not what they should be.
    mutating func unwrite(_ range: ByteRange) {
        let bytes = written.intersection(ByteRangeSet(range))
        written.subtract(bytes)
        // What lies within a segment at work is free when that ends, as all that it has not written is.
        let assigned = ByteRangeSet(segments.values.map { $0.start..<max($0.start, $0.end) })
        free.insert(contentsOf: bytes.subtracting(assigned).ranges, at: 0)
    }

    /// Ends a segment, whatever the reason; what it did not write is free again.
    mutating func release(_ id: Segment.ID, now: Double) {
        guard let segment = segments[id] else { return }
        segments[id] = nil
        // One that was given up is no measure for others.
        if !segment.isRecalled, let speed = segment.speed(at: now) { recentSpeeds.append((now, speed)) }
        let end = min(segment.end, total ?? Int64.max)
        guard segment.start < end else { return }
        var missing = written.gaps(in: segment.start..<end)
        // What was behind its claims is free already: one request is enough for both.
        if segment.isRecalled, let rest = free.firstIndex(where: { $0.lowerBound == end }) {
            missing.insert(contentsOf: free.remove(at: rest))
        }
        // Given back bytes go first: they have waited longest.
        free.insert(contentsOf: missing.ranges, at: 0)
        if segment.isRecalled { relyOnTheLast(now: now) }
    }

    /// Where all but one had to be given up, the one that works is not cut for others like them. Where none of them
    /// ever got going, no further ones are tried for a while, each time for twice as long.
    private mutating func relyOnTheLast(now: Double) {
        guard now - quietSince < CrawlRule.longestPause,
            segments.values.count(where: { $0.isAnswered && !$0.isRecalled }) == 1
        else { return }
        goOnIntoFree(now: now)
        guard stillborn >= CrawlRule.mostStillborn, now >= reliesUntil else { return }
        reliesUntil = now + reliance
        reliance *= 2
    }

    /// Whether bytes come over another connection, and none is to be tried beside it.
    private func reliesOnOthers(now: Double) -> Bool {
        now < reliesUntil
            && segments.values.contains { !$0.isRecalled && $0.remaining > 0 && $0.isReceiving(at: now) }
    }

    /// Lets connections at work go on into free bytes right behind their segments, as far as their answers reach.
    /// For when no other connection gets them: what comes by itself need not be asked for.
    mutating func goOnIntoFree(now: Double) {
        let before = free
        defer {
            // Nobody cuts it again at once only to be refused as well: it might end before that is known.
            if free != before { stealsAgain = now + Self.stealPause }
        }
        for segment in segments.values where !segment.isRecalled {
            var end = segment.end
            while end < segment.bodyEnd, let index = free.firstIndex(where: { isReachable($0, from: end) }) {
                let range = free.remove(at: index)
                end = min(range.upperBound, segment.bodyEnd)
                if end < range.upperBound { free.insert(end..<range.upperBound, at: index) }
            }
            segments[segment.id]?.end = end
        }
    }

    /// Whether nothing but a few bytes that are on disk already lies between: to receive those once more costs less
    /// than to be refused.
    private func isReachable(_ range: ByteRange, from end: Int64) -> Bool {
        guard range.lowerBound >= end, range.lowerBound - end <= Self.widestBridge else { return false }
        return range.lowerBound == end
            || mayRewrite && written.gaps(in: end..<range.lowerBound).isEmpty
    }

    private static let widestBridge: Int64 = 1024 * 1024

    /// Cuts the segment with most left at what it has claimed, so that its connection ends soon and the rest
    /// is free.
    mutating func retireOne() {
        let longest = segments.values.max { ($0.remaining, $1.id) < ($1.remaining, $0.id) }
        if let longest { retire(longest) }
    }

    /// A limit of our own holds bytes back: how fast or silent a connection is says nothing for a while.
    mutating func heldBack(now: Double) {
        judgesFrom = now + CrawlRule.memoryOfLimits
        bytesCame(now: now)
    }

    /// Gives up the connections that are silent, or far slower, where others of this download are not or were
    /// not a moment ago: a fresh connection is the better bet.
    mutating func retireCrawlers(now: Double) {
        guard total != nil, now >= judgesFrom else { return }
        recentSpeeds.removeAll { $0.at < now - CrawlRule.memory }
        guard now - quietSince < silencePatience else { return retireSilent(now: now) }
        let bestNow = segments.values.compactMap { $0.speed(at: now) }.max() ?? 0
        let receiving = segments.values.filter { $0.isReceiving(at: now) }
        let working = receiving.count { ($0.speed(at: now) ?? 0) > bestNow * CrawlRule.part }
        if working > 1 { (stillborn, reliance) = (0, CrawlRule.shortestReliance) }
        for segment in segments.values where !segment.isRecalled {
            // What ended before this one began says nothing: the link may have become slower for all.
            let ended = recentSpeeds.filter { $0.at >= segment.began }
            let othersReceive = !ended.isEmpty || receiving.contains { $0.id != segment.id }
            let best = ended.reduce(bestNow) { max($0, $1.speed) }
            let rule = CrawlRule(best: best, setupTime: setupTime)
            guard rule.isToBeReplaced(segment, othersReceive: othersReceive, now: now) else { continue }
            replace(segment)
            relyOnTheLast(now: now)
        }
    }

    /// At the end, when other connections have no work any more, gives those up that a fresh one would overtake even
    /// with what they have claimed. A steal has to leave them that: sixteen seconds' worth, at 1 KB/s.
    mutating func relieveSlow(now: Double) {
        guard total != nil, free.isEmpty, now >= stealsAgain, now >= judgesFrom else { return }
        recentSpeeds.removeAll { $0.at < now - CrawlRule.memory }
        let speeds = segments.values.compactMap { $0.speed(at: now) } + recentSpeeds.map(\.speed)
        let typical = speeds.reduce(0, +) / Double(max(speeds.count, 1))
        guard typical > 0, speeds.count > 1 else { return }
        let rule = CrawlRule(best: typical, setupTime: setupTime)
        for segment in segments.values where !segment.isRecalled {
            if rule.isToBeRelieved(segment, typical: typical, now: now) { replace(segment) }
        }
    }

    /// Nothing comes over any connection: whether it is their fault, one that is new will tell.
    private mutating func retireSilent(now: Double) {
        guard let segment = segments.values.first(where: { $0.isAnswered && !$0.isRecalled }) else { return }
        replace(segment)
        quietSince = now
        silencePatience *= 2
    }

    /// Gives up a connection that is too slow for a fresh one.
    private mutating func replace(_ segment: Segment) {
        // One that has brought more may only be limited in bursts, as nginx does it.
        if segment.firstByteAt != nil, segment.received - segment.start < StealRule.smallestTail {
            stillborn += 1
        }
        recall(segment)
    }

    private mutating func recall(_ segment: Segment) {
        retire(segment)
        segments[segment.id]?.isRecalled = true
    }

    /// Cuts a segment at what it has claimed: another source has its rest sooner.
    mutating func cutShort(_ id: Segment.ID) {
        if let segment = segments[id] { retire(segment) }
    }

    /// Gives up connections whose bytes are not wanted any more.
    mutating func giveUp(_ ids: some Sequence<Segment.ID>) {
        for id in ids {
            if let segment = segments[id], !segment.isRecalled { recall(segment) }
        }
    }

    private mutating func retire(_ segment: Segment) {
        guard segment.remaining > 0 else { return }
        segments[segment.id]?.end = segment.claimed
        free.insert(segment.claimed..<segment.end, at: 0)
    }

    /// The answer for a segment has been accepted.
    mutating func answered(_ id: Segment.ID) {
        segments[id]?.isAnswered = true
    }

    /// How many connections have an answer whose bytes come or will come.
    var receiving: Int { segments.values.count { $0.isAnswered } }

    /// The server has ended a stream of unknown length: that is the file's length.
    mutating func streamEnded(at length: Int64) {
        total = length
        free = []
        for id in segments.ids { segments[id]?.end = length }
    }

    /// Forgets all segments and what was written, for a stream that starts again at its first byte.
    mutating func startOver() {
        self = SegmentPlan(total: total)
    }
}
