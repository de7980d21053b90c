/// How many connections one download has, and how many it should have.
///
/// A plain value: it opens nothing and waits for nothing.
struct Workers: Sendable {
    /// The number of connections that there should be, over all sources.
    private(set) var wanted: Int

    /// The number of connections that there are, including those that wait for a permit or before a retry.
    private(set) var running = 0

    /// The most that the caller allows, however small the file is.
    private let most: Int

    /// True if `wanted` is only the most that there may be, and the speed of the first connections decides
    /// whether others would end the download sooner.
    private let isMeasured: Bool
    private var recovery: RetryState

    /// How many connections fewer there should be until `pausedUntil`, because the server did not answer as
    /// many beside others.
    private var paused = 0
    private var pausedUntil = -Double.infinity
    private var pause = SlowConnectionPolicy.shortestPauseSeconds

    init(wanted: Int, most: Int, isMeasured: Bool, recovery: RetryState) {
        self.wanted = wanted
        self.most = most
        self.isMeasured = isMeasured
        self.recovery = recovery
    }

    /// The workers that a download with this many missing bytes should have.
    ///
    /// - Parameters:
    ///   - missing: The number of bytes to fetch.
    ///   - hosts: The number of different hosts that have the file.
    ///   - setupTime: Seconds from the first request to its answer.
    ///   - distance: How far away the first source is; `nil` if that is not known.
    ///   - canStartOver: False if bytes that have been written cannot be taken back.
    init(
        fetching missing: Int64, from hosts: Int, _ segments: SegmentCount, _ configuration: Configuration,
        setupTime: Double = 0, distance: ServerDistance? = nil, canStartOver: Bool = true
    ) {
        var limits = configuration.limits
        limits.connectionsPerHost = limits.connections(over: hosts)
        let isFar = distance?.isFar ?? false
        let minimum = configuration.minimumSegmentSize
        self.init(
            wanted: segments.connections(
                missing: missing, minimum: distance?.smallestSegment(minimum) ?? minimum, limits: limits),
            most: segments.connections(missing: .max, minimum: 1, limits: limits),
            isMeasured: segments == .automatic || isFar || Self.isMeasured(after: setupTime),
            recovery: RetryState(
                policy: configuration.retry, hasAnswered: true, canStartOver: canStartOver,
                asksForRanges: true))
    }

    /// Returns true if further requests may have to wait for as long as the first connection needs for all:
    /// its speed decides first.
    static func isMeasured(after setupTime: Double) -> Bool { setupTime >= CrawlRule.longestSetupSeconds }

    /// The place of the last retry in the budget; `nil` if the last failure was not counted.
    var lastRetry: RetryState.Count? { recovery.lastRetry }

    /// True as long as the first connection's speed is not known and decides whether there are to be others.
    var isWaiting: Bool { isMeasured && running == 1 && wanted > 1 }

    /// True if there are as many connections as there should be.
    var isFull: Bool { running >= wanted }

    /// Returns true if there may be one more connection, however small the file is.
    func mayAdd(now: Double) -> Bool { running < most && !isPaused(now: now) }

    /// Returns true if the server did not answer some connections a while ago.
    func isPaused(now: Double) -> Bool { now < pausedUntil }

    /// Connections were given up for want of an answer, while others received: the server may serve no more
    /// at a time. For a while there are fewer, the next time for twice as long.
    ///
    /// - Parameter count: The number of requests without an answer.
    mutating func wentUnanswered(_ count: Int, now: Double) {
        paused = count
        guard !isPaused(now: now) else { return }
        pausedUntil = now + pause
        pause *= 2
    }

    /// Returns the number of connections to add: as many as find work that they would end earlier. If there
    /// is no such work, the connections that hold up the end are given up, so that there is some later.
    ///
    /// - Parameters:
    ///   - spare: The number of running connections whose place may be taken by another one.
    ///   - isHeldBack: True if a rate limit of this program holds bytes back: others would share it.
    func openings(
        in plan: inout SegmentPlan, spare: Int = 0, isHeldBack: Bool = false, now: Double
    ) -> Int {
        let count = ordinaryOpenings(in: &plan, spare: spare, isHeldBack: isHeldBack, now: now)
        return count == 0 && plan.hasOpenTrial && mayAdd(now: now) ? plan.openings(now: now) : count
    }

    private func ordinaryOpenings(
        in plan: inout SegmentPlan, spare: Int, isHeldBack: Bool, now: Double
    ) -> Int {
        // In this order, because `wanted` may be the greatest number there is.
        let room = (isPaused(now: now) ? max(1, wanted - paused) : wanted) - running + spare
        guard room > 0 else { return 0 }
        if isMeasured, running > 0, isHeldBack || !plan.isWorthConnecting(now: now) { return 0 }
        if plan.openings(now: now) == 0 { plan.replaceOvertaken(now: now) }
        return plan.openings(now: now, atMost: room)
    }

    /// A connection begins, or is about to be tried again.
    mutating func began() {
        running += 1
    }

    /// A connection has ended.
    mutating func ended() {
        running -= 1
    }

    /// The request for the whole file has ended.
    mutating func triedWhole() {
        recovery.triedWhole()
    }

    /// Decides what follows the failure of a connection that has ended, if no other source can take over.
    ///
    /// - Parameter jitter: A random number from 0 to 1.
    mutating func failed(
        _ failure: TransferFailure, plan: inout SegmentPlan, now: Double, jitter: Double
    ) -> RetryState.Decision {
        let others = plan.receiving
        let decision = recovery.decide(
            failure, others: others, written: plan.written.byteCount, now: now, jitter: jitter)
        // With several connections at work the host's cap is the reason; a single one would be cut without
        // effect.
        if failure.isOfNewRequests || failure.isOfNewConnections && others == 1 {
            plan.continueIntoFree(now: now)
        }
        if case .drop = decision { wanted = max(1, wanted - 1) }
        return decision
    }
}
