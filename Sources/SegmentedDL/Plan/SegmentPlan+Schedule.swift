/// Chooses the bytes for the next connection, and the connections to replace.
extension SegmentPlan {
    /// The longest time so far, in seconds, from a connection's request to its first byte.
    var setupTime: Double { policy.setupTime }

    /// Records the time until a first byte that was received before the plan was created.
    mutating func noteSetup(_ seconds: Double) {
        policy.firstByteCame(after: seconds)
    }

    /// Returns the number of connections for which work exists, up to `limit`.
    func openings(now: Double, atMost limit: Int = 1) -> Int {
        if policy.pausesNewConnections(beside: segments, now: now) { return 0 }
        if free.count >= limit && pieces == nil || total == nil { return min(free.count, limit) }
        var trial = self
        return (0..<limit).first { _ in trial.next(now: now) == nil } ?? limit
    }

    /// Returns true if another connection would finish the download earlier, judging by the speed of the
    /// active ones. Returns false until that speed is known, or has been unknown for too long.
    func isWorthConnecting(now: Double) -> Bool {
        guard let total else { return false }
        let speeds = segments.values.compactMap { $0.speed(at: now) }
        guard !speeds.isEmpty else {
            // Over a long distance, a speed is known only after many round trips.
            return distance != nil
                || segments.values.allSatisfy { now - $0.began > StealRule.longestObservationSeconds }
        }
        let missing = total - written.byteCount
        // The first bytes of a small file have arrived at once, whatever the ticks of the clock indicate.
        let isSmall = missing <= StealRule.smallestTailBytes
        let least = isSmall ? SlowConnectionThresholds.smallestRestSeconds : StealRule.smallestGainSeconds
        return Double(missing) / max(speeds.reduce(0, +), 1) > setupTime + least
    }

    /// Assigns work to an idle connection: a free range, or the tail of the segment that would finish last,
    /// or, if the file is fetched in order, of the first one.
    ///
    /// - Returns: `nil` if another connection would not finish the download earlier.
    mutating func next(now: Double) -> Segment? {
        guard !policy.pausesNewConnections(beside: segments, now: now) else { return nil }
        if let segment = assignFirstFree(now: now) { return segment }
        guard total != nil else { return nil }
        if let steal = currentDistance.map({ bestCut(over: $0, now: now) }) ?? bestSteal(now: now) {
            return assignTail(of: steal.victim, from: steal.cut, now: now)
        }
        // Packet loss delays the slowest first byte beyond that of a new connection.
        let setup = currentDistance?.longestSetup(setupTime) ?? policy.quickestSetup
        guard idle > 0, let waiting = policy.unservedRule.unserved(in: segments, setup: setup, now: now)
        else { return nil }
        policy.unservedRule.askedInstead()
        recall([waiting], mayResume: true)
        return assignFirstFree(now: now)
    }

    /// The cut of the connection that would finish last among those of known speed.
    private func bestCut(over distance: ServerDistance, now: Double) -> (victim: Segment, cut: Int64)? {
        guard !policy.pausesSteals(now: now) else { return nil }
        // The bytes that follow a lost packet arrive all at once.
        let shortest = max(2 * distance.roundTrip, StealRule.shortestObservationSeconds)
        let speeds = segments.values.compactMap { $0.averageSpeed(after: shortest, now: now) }
        guard !speeds.isEmpty else { return nil }
        let rule = CutRule(distance: distance, minimum: distance.smallestSegment(minimum))
        var last: (victim: Segment, seconds: Double, speed: Double)?
        for victim in segments.values where !victim.isRecalled && victim.remaining > 0 {
            guard rule.isKnown(since: victim.began, now: now),
                let average = victim.averageSpeed(after: shortest, now: now)
            else { continue }
            guard !rule.isStarting(victim, average: average, now: now) else { continue }
            let speed = min(average, policy.speed(of: victim, now: now) ?? average)
            let seconds = Double(victim.remaining) / max(speed, 1)
            if seconds > last?.seconds ?? 0 { last = (victim, seconds, speed) }
        }
        guard let last else { return nil }
        let cut = rule.cut(
            last.victim, speed: last.speed, thief: speeds.reduce(0, +) / Double(speeds.count), now: now)
        return cut.map { (last.victim, $0) }
    }

    private func bestSteal(now: Double) -> (victim: Segment, cut: Int64)? {
        guard !policy.pausesSteals(now: now), !segments.areSilent(at: now) else { return nil }
        let average = policy.typicalSpeed(of: segments, now: now)
        // The server responds slowly, and an occasional byte is not a speed, so another request would only
        // have to wait as well.
        let setup = max(setupTime, segments.longestStart(at: now))
        guard
            setup < SlowConnectionThresholds.longestSetupSeconds
                || (average ?? 0) >= SlowConnectionThresholds.leastSpeed
        else {
            return nil
        }
        var rule = StealRule(setupTime: setupTime + policy.stealRisk, thiefSpeed: average)

        func secondsLeft(_ segment: Segment) -> Double {
            // A segment that has not received anything yet is assumed to be as fast as the others.
            let speed = policy.speed(of: segment, now: now) ?? average ?? policy.guessedSpeed(now: now) ?? 1
            return Double(segment.remaining) / max(speed, 1)
        }
        var best: (victim: Segment, cut: Int64)?
        var longest = -Double.infinity
        for victim in segments.values where isWorthCutting(victim, secondsLeft(victim), now: now) {
            let seconds = secondsLeft(victim)
            let isBetter = pieces == nil ? seconds > longest : victim.start < best?.victim.start ?? .max
            guard isBetter else { continue }
            let speed = policy.speed(of: victim, now: now) ?? average
            rule.minimum = smallestTail(of: victim, now: now)
            if let cut = rule.cut(claimed: victim.claimed, end: victim.end, victimSpeed: speed) {
                // A connection that continued alone may have claimed far more than a piece.
                let end = pieces.map { min(cut, victim.claimed + $0.largest) } ?? cut
                (best, longest) = ((victim, end), seconds)
            }
        }
        return best
    }

    /// Returns the minimum length of a tail to steal while no speed is known. It is the caller's minimum
    /// segment size, so that a fast server is not sent a request for each half of a remainder. It is lower
    /// for a segment on which others have waited, because its connection is slow.
    private func smallestTail(of segment: Segment, now: Double) -> Int64 {
        let isSlow = now - segment.began >= StealRule.longestObservationSeconds
        return isSlow ? StealRule.smallestTailBytes : max(minimum, StealRule.smallestTailBytes)
    }

    /// Returns true if a segment's speed is known, or if the segment is too long to wait for that, unless its
    /// bytes are expected sooner than those of a new connection. Otherwise, near the end, all idle
    /// connections would cut a segment that has just begun, and will soon end, into ever smaller pieces, and
    /// each cut costs a connection.
    private func isWorthCutting(_ segment: Segment, _ secondsLeft: Double, now: Double) -> Bool {
        if policy.isExpected(segment, now: now) { return false }
        if policy.holdUp > 0 { return segment.speed(at: now) != nil }
        return segment.speed(at: now) != nil || now - segment.began >= StealRule.longestObservationSeconds
            || secondsLeft >= StealRule.shortestRestSeconds
    }

    /// The maximum number of bytes to fetch a second time.
    static let mostStartedOver: Int64 = 64 * 1024 * 1024

    /// True if range requests repeatedly receive only a few bytes each. A single request for the whole file
    /// may succeed.
    var isStarved: Bool {
        policy.starvedStarts >= SlowConnectionPolicy.mostStarvedStarts
            && written.byteCount <= Self.mostStartedOver && !segments.values.contains { $0.hasBegun }
    }

    // MARK: Replacing

    /// Records that a rate limit of this program has delayed bytes, so that speeds prove nothing for a while.
    ///
    /// - Parameter hidesSilence: True if silence proves nothing either.
    mutating func heldBack(now: Double, hidesSilence: Bool = true) {
        policy.heldBack(now: now, hidesSilence: hidesSilence)
    }

    /// Gives up connections that are silent, or far slower than others of this download are or recently were,
    /// because a new connection is expected to be faster.
    ///
    /// - Parameter mayAdd: True if another connection is allowed. It is first tried alongside a silent one.
    /// - Returns: The segments whose connections were given up.
    @discardableResult
    mutating func replaceSlow(mayAdd: Bool = false, now: Double) -> [Segment.ID] {
        guard total != nil else { return [] }
        let guilty = endTrial(now: now)
        for id in guilty { replace(id, now: now) }
        guard guilty.isEmpty else { return guilty }
        if let silent = policy.silent(in: segments, now: now) {
            if let again = repeatTrial(now: now) { return again }
            if mayAdd, beginTrial(beside: silent, now: now) { return [] }
            replace(silent, now: now)
            return [silent]
        }
        renewSlow(now: now)
        let slow = policy.slow(in: segments, now: now)
        for id in slow {
            replace(id, now: now)
            relyOnOnlyConnection(now: now)
        }
        return slow
    }

    /// Assigns the rest of connections that packet loss has slowed down to new connections.
    private mutating func renewSlow(now: Double) {
        guard let distance = currentDistance, policy.judges(now: now), !policy.pausesSteals(now: now),
            !policy.pausesNewConnections(beside: segments, now: now)
        else { return }
        for cut in renewal.cuts(segments, carried: line.carried, over: distance, now: now) {
            self.cut(cut.id, at: cut.offset)
        }
    }

    /// If other connections are idle at the end, gives up the connections that a new one would overtake even
    /// if it also fetched the bytes that they have claimed. A steal must leave them those bytes, which take
    /// sixteen seconds at 1 KB/s.
    mutating func replaceOvertaken(now: Double) {
        guard total != nil, free.isEmpty else { return }
        for id in policy.overtaken(in: segments, now: now) { replace(id, now: now) }
    }

    /// Takes back the bytes after a segment from a connection without a response, so that the segment's own
    /// response, which contains them, can continue. Some servers send one response and no other.
    mutating func takeBackUnanswered(behind segment: Segment, now: Double) {
        guard line.answers == 1, segment.isAnswered, !segment.isCut, segment.end < segment.bodyEnd,
            let other = segments.values.first(where: { $0.start == segment.end && $0.id != segment.id }),
            !other.isAnswered, !other.isRecalled,
            now - other.began
                >= max(
                    SlowConnectionThresholds.lateAnswerSeconds,
                    SlowConnectionThresholds.setupFactor * setupTime)
        else { return }
        recall([other.id], mayResume: true)
    }

    /// Returns true if a connection at the end of its segment must wait, although its response contains the
    /// next one: no other request has received a response, and the server may refuse them all. Then this
    /// response is the only one, and it can continue.
    func waitsForAnswer(behind id: Segment.ID) -> Bool {
        guard line.answers == 1, let segment = segments[id], segment.isAnswered, !segment.isCut,
            !segment.isRecalled, segment.end < segment.bodyEnd
        else { return false }
        return segments.values.contains { $0.start == segment.end && !$0.isAnswered && !$0.isRecalled }
    }

    private mutating func replace(_ id: Segment.ID, now: Double) {
        if let segment = segments[id] { policy.replaced(segment, now: now) }
        recall([id], mayResume: true)
    }

    /// If only one connection still receives data, lets it continue into free bytes instead of cutting it for
    /// others that may fail like the previous ones. If none of those ever received data, no new connections
    /// are tried for a while.
    mutating func relyOnOnlyConnection(now: Double) {
        guard !hasOpenTrial, policy.isOnlyOneWorking(of: segments, now: now) else { return }
        continueIntoFree(now: now)
        policy.pauseNewConnections(now: now)
    }
}
