/// Decides which connections of a download are too slow or have been silent for too long, and when new ones
/// are not worth trying.
///
/// A plain value: it changes no segment. The plan gives up the segments that it returns.
struct SlowConnectionPolicy: Sendable {
    /// If no connection receives bytes, a new connection replaces one of them after this many seconds, as a
    /// trial; earlier over a long distance. A connection that has not begun is not given up in this way,
    /// because a new one would have to wait as long again.
    static let longestSilenceSeconds = 3.0

    /// The maximum number of seconds that one inspection of the connections counts for.
    private static let tickSeconds = 0.25
    private static let mostDoublings = 6

    /// The number of times that patience is doubled when a replacement falls silent as well.
    private static let doublingsOfFailure = 4

    /// After this many consecutive connections that ended after a few bytes, further ones are useless.
    static let mostStarvedStarts = 8

    /// For this many seconds after a rate limit of this program has delayed bytes, no connection is judged.
    /// This is the length of the window in which speeds are measured.
    static let limitMemorySeconds = 2.0

    /// The number of seconds without steals after a connection has continued into free bytes.
    static let stealPauseSeconds = 5.0

    /// The longest time until a first byte so far, in seconds. This is the expected cost of a new connection.
    private(set) var setupTime = 0.0

    /// The shortest time until a first byte so far, in seconds.
    private(set) var quickestSetup = Double.infinity

    /// When an idle connection replaces one that waits for a response.
    var unservedRule = UnservedRule()

    /// The same as `SlowConnectionThresholds.roundTrip`.
    var roundTrip = 0.0

    private var recent = EndedConnections()

    /// The longest silence so far, in seconds, that was followed by bytes.
    private var longestWait = 0.0

    /// The time at which a byte last arrived over any connection, or at which one was given up because none
    /// received any.
    private var quietSince = -Double.infinity

    /// True if the host's bodies arrive without pauses.
    var isHostSteady = false
    private var trialPace = TrialPace()
    private var lookedAt = -Double.infinity

    /// The time at which a waiting connection was last given up, and the number of times since a new one
    /// continued without a wait.
    private var givenUpAt = -Double.infinity
    private var doublings = 0

    private var trial = SilenceTrial()

    private var startPause = StartPause()

    /// The number of consecutive connections that ended after a few bytes.
    private(set) var starvedStarts = 0

    /// The times from which connections are judged by their bytes and by their silence.
    private var judgesFrom = -Double.infinity
    private var judgesSilenceFrom = -Double.infinity

    /// The end of the pause in steals.
    private var noStealsUntil = -Double.infinity

    // MARK: Events

    mutating func firstByteCame(after seconds: Double) {
        setupTime = max(setupTime, seconds)
        quickestSetup = min(quickestSetup, seconds)
        unservedRule.responded()
    }

    /// Records that a connection begins while no other exists.
    mutating func firstBegan(now: Double) {
        quietSince = now
    }

    mutating func bytesCame(now: Double) {
        quietSince = now
    }

    /// Records that a connection has made real progress after a wait. Others may have to wait as long.
    mutating func ended(_ wait: Wait, now: Double) {
        if wait.isStart {
            firstByteCame(after: wait.seconds)
        } else if judges(now: now) {
            longestWait = max(longestWait, wait.seconds)
        }
    }

    /// Records that a rate limit of this program has delayed bytes.
    ///
    /// - Parameter hidesSilence: True if a connection may receive nothing for seconds because of it.
    mutating func heldBack(now: Double, hidesSilence: Bool = true) {
        judgesFrom = now + Self.limitMemorySeconds
        guard hidesSilence else { return }
        judgesSilenceFrom = judgesFrom
        bytesCame(now: now)
    }

    /// Records that a connection has ended. An abandoned one says nothing about others.
    mutating func ended(_ segment: Segment, isWhole: Bool, now: Double) {
        // A short one that has received everything also shows that requests for ranges help.
        if segment.hasBegun || isWhole && !segment.isRecalled && segment.firstByteAt != nil {
            starvedStarts = 0
        } else if segment.firstByteAt != nil {
            starvedStarts += 1
        }
        guard !segment.isRecalled else { return }
        var whole = segment
        // A segment that was cut to nothing before its first byte has not waited for one.
        if isWhole, segment.firstByteAt != nil,
            let wait = whole.arrived(upTo: segment.end, now: now) ?? whole.endWait()
        {
            ended(wait, now: now)
        }
        recent.add(segment, now: now)
    }

    /// Records that a connection is given up because it is slow.
    mutating func replaced(_ segment: Segment, now: Double) {
        isTried(segment, now: now)
        // A connection that has received more may only be throttled in bursts, as by nginx.
        guard segment.firstByteAt != nil, segment.received - segment.start < StealRule.smallestTailBytes
        else {
            return
        }
        startPause.failed()
    }

    /// Records that a new connection tests whether this one is the cause of its silence.
    mutating func isTried(_ segment: Segment, now: Double) {
        if segment.hasBegun, trial.isNeeded(for: segment, now: now) {
            trial.begin(with: segment, now: now)
            trialPace.began(now: now)
        }
        if segment.waitsSince(at: now) != nil, now > givenUpAt {
            doublings = min(doublings + 1, Self.mostDoublings)
            givenUpAt = now
        }
    }

    /// Records that the new connection of a trial has received all of its requested bytes.
    mutating func isProven() {
        trial.prove()
        trialPace.helped()
    }

    /// Records that a silent connection has continued before another one received a response.
    mutating func wasNeedless() {
        trial.end()
        doublings = min(doublings + Self.doublingsOfFailure, Self.mostDoublings)
    }

    mutating func pauseSteals(now: Double) {
        noStealsUntil = now + Self.stealPauseSeconds
    }

    func pausesSteals(now: Double) -> Bool { now < noStealsUntil }

    /// Returns true if speeds and silence are evidence about connections.
    func judges(now: Double) -> Bool { now >= judgesFrom }

    // MARK: Which are too slow

    /// Returns the connection to replace because none receives anything. A new one tests whether the
    /// connections themselves are the cause. A connection that has not begun is tried only if others show
    /// that the server does not pause within each response, because a scanner would begin again for the new
    /// one.
    mutating func silent(in segments: SegmentList, now: Double) -> Segment.ID? {
        noteFlow(in: segments, now: now)
        if trial.hasFailed(in: segments, ended: recent.lengths, convincing: convincingFlow, now: now) {
            doublings = min(doublings + Self.doublingsOfFailure, Self.mostDoublings)
        }
        guard now >= judgesSilenceFrom, isQuiet(segments, now: now),
            trialPace.allowsTrial(isSteady: isSteady, now: now),
            let segment = segments.values.first(where: { mayTry($0, now: now) })
        else { return nil }
        quietSince = now
        trialPace.began(now: now)
        return segment.id
    }

    /// A silence of this file that has ended counts more than the bodies of other files.
    private var isSteady: Bool { isHostSteady && holdUp == 0 }

    private func mayTry(_ segment: Segment, now: Double) -> Bool {
        guard !segment.isRecalled else { return false }
        if segment.hasBegun, segment.isAnswered { return true }
        return (isSteady || trialPace.hasHelped)
            && now - segment.began >= SlowConnectionThresholds.setupFactor * setupTime
    }

    private mutating func noteFlow(in segments: SegmentList, now: Double) {
        let speed = segments.values.reduce(0) { $0 + ($1.speed(at: now) ?? 0) }
        if speed >= SlowConnectionThresholds.leastSpeed, now - quietSince < Self.tickSeconds {
            trialPace.received(for: min(now - lookedAt, Self.tickSeconds))
        }
        lookedAt = now
        let helped = segments.values.contains { segment in
            guard let flow = segment.flow, flow.isFull, segment.began >= givenUpAt else { return false }
            return segment.waitsSince(at: now) == nil
                && now - flow.since >= SlowConnectionThresholds.longestPauseSeconds
        }
        if helped { doublings = 0 }
    }

    /// Returns true if a connection is silent, and no other connection has shown, by receiving more, that
    /// this one is the cause. A scanner lets the first bytes of each response pass. The bytes of a new
    /// connection are trusted once; after that they must have arrived for a while, which is longer with each
    /// connection that fell silent.
    private func isHeldUp(_ segment: Segment, in segments: SegmentList, now: Double) -> Bool {
        guard segment.hasBegun, let since = segment.waitsSince(at: now) else { return false }
        let bytes = segment.received - segment.start + Flow.fullBytes
        if recent.lengths.contains(where: { $0.at >= since && $0.bytes >= bytes }) { return false }
        return !segments.values.contains { other in
            guard other.id != segment.id, other.waitsSince(at: now) == nil else { return false }
            return other.received - other.start >= bytes || other.flowSeconds >= convincingFlow
        }
    }

    /// The number of seconds of arriving bytes after which a new connection is trusted. They increase with
    /// each connection that fell silent.
    private var convincingFlow: Double {
        StealRule.longestObservationSeconds * Double((1 << max(doublings - 1, 0)) - 1)
    }

    private func isQuiet(_ segments: SegmentList, now: Double) -> Bool {
        now - quietSince >= longestSilence(of: segments)
    }

    /// Returns the seconds without a byte after which a new connection is tried. Over a long distance,
    /// several connections rarely lose packets at the same moment, so the link was interrupted, or the
    /// client's address has changed.
    private func longestSilence(of segments: SegmentList) -> Double {
        let active = segments.values.count { $0.isAnswered && !$0.isRecalled && $0.hasBegun }
        guard roundTrip > 0, active > 1 else {
            return max(trialPace.silence(isSteady: isSteady), CutRule.victimTrips * roundTrip)
        }
        return max(SlowConnectionThresholds.longestPauseSeconds, CutRule.victimTrips * roundTrip)
    }

    /// Returns the speed of a segment, in bytes per second; `nil` if too little is known, or if the segment
    /// has waited no longer than others did.
    func speed(of segment: Segment, now: Double) -> Double? {
        if let since = segment.waitsSince(at: now), now - since < rule(best: 0).patience(with: segment) {
            return nil
        }
        return segment.speed(at: now)
    }

    private func rule(best: Double) -> SlowConnectionThresholds {
        SlowConnectionThresholds(
            best: best, setupTime: setupTime, longestWait: longestWait, roundTrip: roundTrip,
            patienceFactor: Double(1 << doublings))
    }

    /// Returns true if a connection is silent, and others were silent for as long before they continued, or
    /// new ones fell silent as well. Its bytes are then expected sooner than those of a new one.
    func isExpected(_ segment: Segment, now: Double) -> Bool {
        let rule = rule(best: 0)
        let isDoubtful = doublings > 0 && segment.isSilent(at: now)
        return (isDoubtful || rule.waits(segment, now: now))
            && now - (segment.lastByteAt ?? segment.began) < rule.patience(with: segment)
    }

    /// Returns the connections to replace because they are silent or far slower than others.
    mutating func slow(in segments: SegmentList, now: Double) -> [Segment.ID] {
        guard judges(now: now), !isQuiet(segments, now: now) else { return [] }
        recent.forget(now: now)
        let bestNow = segments.values.compactMap { $0.speed(at: now) }.max() ?? 0
        // With long round-trip times bytes arrive in bursts, and packet loss slows down some connections, so
        // compare with the mean and not with the fastest connection.
        let paces = segments.values.filter { $0.began < now }
            .map { Double($0.received - $0.start) / (now - $0.began) }
        let typical = paces.reduce(0, +) / Double(max(paces.count, 1))
        let receiving = segments.values.filter { $0.isReceiving(at: now) }
        let working = receiving.count { ($0.speed(at: now) ?? 0) > bestNow * SlowConnectionThresholds.part }
        if working > 1 { startPause = StartPause(until: startPause.until) }
        let slow = segments.values.filter { segment in
            guard !segment.isRecalled, !isHeldUp(segment, in: segments, now: now),
                !trial.keepsWaiting(segment, now: now)
            else { return false }
            // A connection that ended before this one began proves nothing: the link may have become slower
            // for all.
            let earlier = (recent.speeds + recent.shortSpeeds).filter { $0.at >= segment.began }
            let others = receiving.filter { $0.id != segment.id }.reduce(0) { $0 + ($1.speed(at: now) ?? 0) }
            let best = roundTrip > 0 ? typical : earlier.reduce(bestNow) { max($0, $1.speed) }
            let othersReceive =
                earlier.reduce(others) { max($0, $1.speed) } >= SlowConnectionThresholds.leastSpeed
            return rule(best: best).isToBeReplaced(segment, othersReceive: othersReceive, now: now)
        }
        return oneOfSilent(slow, in: segments, now: now)
    }

    /// Omits all but one of the connections that may not be the cause of their silence: the connection that
    /// replaces this one will show the cause for all of them. Until one has been given up, a connection that
    /// has received more bytes shows it as well.
    private func oneOfSilent(_ slow: [Segment], in segments: SegmentList, now: Double) -> [Segment.ID] {
        let receiving = segments.values.filter { doublings == 0 && !$0.isSilent(at: now) }
        let furthest = receiving.map { $0.received - $0.start }.max() ?? 0
        let isTried = { (segment: Segment) in
            segment.hasBegun && trial.isNeeded(for: segment, now: now)
                && furthest <= segment.received - segment.start + Flow.fullBytes
        }
        let first = slow.first(where: isTried)?.id
        return slow.filter { $0.id == first || !isTried($0) }.map(\.id)
    }

    /// Returns the connections to replace because a new one would overtake them.
    mutating func overtaken(in segments: SegmentList, now: Double) -> [Segment.ID] {
        guard !pausesSteals(now: now), judges(now: now) else { return [] }
        guard now - quietSince < SlowConnectionThresholds.longestPauseSeconds else {
            return unanswered(in: segments, now: now)
        }
        recent.forget(now: now)
        let speeds = segments.values.compactMap { $0.speed(at: now) } + recent.speeds.map(\.speed)
        let typical = speeds.reduce(0, +) / Double(max(speeds.count, 1))
        guard typical >= SlowConnectionThresholds.leastSpeed, speeds.count > 1 else { return [] }
        let rule = rule(best: typical)
        let overtaken = segments.values.filter {
            !$0.isRecalled && !isHeldUp($0, in: segments, now: now) && !trial.keepsWaiting($0, now: now)
                && rule.isToBeRelieved($0, typical: typical, now: now)
        }
        return oneOfSilent(overtaken, in: segments, now: now)
    }

    /// Returns the connections that may only be waiting for a response because the server serves only
    /// the idle ones.
    private func unanswered(in segments: SegmentList, now: Double) -> [Segment.ID] {
        let rule = rule(best: 0)
        return segments.values.filter {
            !$0.isRecalled && !$0.isAnswered && now - $0.began >= rule.patience(with: $0)
        }.map(\.id)
    }

    // MARK: New connections

    /// Returns the speed that a new connection is expected to reach, in bytes per second; `nil` if unknown.
    func typicalSpeed(of segments: SegmentList, now: Double) -> Double? {
        var speeds = segments.values.compactMap { $0.speed(at: now) }
        if speeds.isEmpty { speeds = recent.speeds(now: now) }
        return speeds.isEmpty ? nil : speeds.reduce(0, +) / Double(speeds.count)
    }

    /// The same as `EndedConnections.guessedSpeed`.
    func guessedSpeed(now: Double) -> Double? { recent.guessedSpeed(now: now) }

    /// The number of seconds of work that a steal leaves to its victim. If other connections never received
    /// data, the victim must still be active when the thief is known to have failed as well; if they stalled,
    /// the thief will stall, too.
    var stealRisk: Double {
        max(startPause.failures > 0 ? SlowConnectionThresholds.longestSetupSeconds : 0, holdUp)
    }

    /// The same as `SlowConnectionThresholds.holdUp`.
    var holdUp: Double { rule(best: 0).holdUp }

    /// Returns true if bytes are arriving, and only one connection can still receive them. If round trips
    /// matter, the bytes of others may only be in flight, so this is false until some of them have failed.
    func isOnlyOneWorking(of segments: SegmentList, now: Double) -> Bool {
        guard roundTrip == 0 || startPause.isDue,
            now - quietSince < SlowConnectionThresholds.longestPauseSeconds
        else { return false }
        let answered = segments.values.filter { $0.isAnswered && !$0.isRecalled }
        // The last bytes may have been those of a connection that has ended since.
        return answered.count == 1
            && answered.allSatisfy { $0.lastByteAt == nil || $0.isReceiving(at: now) }
    }

    /// Tries no new connections for a while if the last ones never received data.
    mutating func pauseNewConnections(now: Double) { startPause.begin(now: now) }

    /// Returns true if bytes are arriving over another connection, and no new one should be tried alongside
    /// it.
    func pausesNewConnections(beside segments: SegmentList, now: Double) -> Bool {
        now < startPause.until
            && segments.values.contains { !$0.isRecalled && $0.remaining > 0 && $0.isReceiving(at: now) }
    }
}
