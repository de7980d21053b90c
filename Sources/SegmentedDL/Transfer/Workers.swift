/// The actual and the target number of connections of one download.
///
/// A plain value that performs no input or output.
struct Workers: Sendable {
    /// The target number of connections, over all sources.
    private(set) var wanted: Int

    /// The current number of connections, including those that wait for a permit or before a retry.
    private(set) var running = 0

    /// The maximum number allowed by the caller, regardless of the file's size.
    private let most: Int

    /// True if `wanted` is only the maximum, and the speed of the first connections determines whether others
    /// would complete the download sooner.
    private let isMeasured: Bool
    private var recovery: RetryState

    /// True once several connections have existed at the same time.
    private var hasBeenSeveral = false
    /// True if the last failure may be a ban.
    private(set) var isBanned = false

    /// The reduction of `wanted` until `pausedUntil`, because the server did not respond to that many
    /// concurrent requests.
    private var paused = 0
    private var pausedUntil = -Double.infinity
    private var pause = StartPause.shortestSeconds

    init(wanted: Int, most: Int, isMeasured: Bool, recovery: RetryState) {
        self.wanted = wanted
        self.most = most
        self.isMeasured = isMeasured
        self.recovery = recovery
    }

    /// Creates the workers for a download with this many missing bytes.
    ///
    /// - Parameters:
    ///   - missing: The number of bytes to fetch.
    ///   - hosts: The number of different hosts that have the file.
    ///   - setupTime: Seconds from the first request to its response.
    ///   - distance: The distance of the first source; `nil` if unknown.
    ///   - canStartOver: False if written bytes cannot be withdrawn.
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

    /// Returns true if the responses to further requests may take as long as the first connection needs for
    /// the whole file, so that its speed must be known first.
    static func isMeasured(after setupTime: Double) -> Bool {
        setupTime >= SlowConnectionThresholds.longestSetupSeconds
    }

    /// The number of the last retry within the budget; `nil` if the last failure did not count.
    var lastRetry: RetryState.Count? { recovery.lastRetry }

    /// True while the first connection's speed, which decides whether others are added, is unknown.
    var isWaiting: Bool { isMeasured && running == 1 && wanted > 1 }

    /// True if the number of connections has reached its target.
    var isFull: Bool { running >= wanted }

    /// Returns true if one more connection is allowed, regardless of the file's size.
    func mayAdd(now: Double) -> Bool { running < most && !isPaused(now: now) }

    /// Returns true if the server recently did not respond on some connections.
    func isPaused(now: Double) -> Bool { now < pausedUntil }

    /// Records that connections were abandoned without a response while others received bytes: the server may
    /// not serve more concurrently. The target is reduced for a while, and the next time for twice as long.
    ///
    /// - Parameter count: The number of requests without a response.
    mutating func wentUnanswered(_ count: Int, now: Double) {
        paused = count
        guard !isPaused(now: now) else { return }
        pausedUntil = now + pause
        pause *= 2
    }

    /// Returns the number of connections to add: as many as would complete some of the work earlier. If there
    /// is none, the connections that delay the end are abandoned, which frees work for later.
    ///
    /// - Parameters:
    ///   - spare: The number of current connections that may be replaced.
    ///   - isHeldBack: True if a rate limit of this program delays bytes: further connections would share it.
    func openings(
        in plan: inout SegmentPlan, spare: Int = 0, isHeldBack: Bool = false, now: Double
    ) -> Int {
        let count = ordinaryOpenings(in: &plan, spare: spare, isHeldBack: isHeldBack, now: now)
        return count == 0 && plan.hasOpenTrial && mayAdd(now: now) ? plan.openings(now: now) : count
    }

    private func ordinaryOpenings(
        in plan: inout SegmentPlan, spare: Int, isHeldBack: Bool, now: Double
    ) -> Int {
        // Keep this order, because `wanted` may be `Int.max`.
        let free = wanted - running
        // Keep idle connections: they have been accepted, and may even be the reason why others are not.
        let room =
            isPaused(now: now)
            ? max(max(1, wanted - paused) - running + spare, min(plan.idle, free)) : free + spare
        guard room > 0 else { return 0 }
        if isMeasured, running > 0, isHeldBack || !plan.isWorthConnecting(now: now) { return 0 }
        if plan.openings(now: now) == 0 { plan.replaceOvertaken(now: now) }
        return plan.openings(now: now, atMost: room)
    }

    /// Records that a connection has begun, or is about to retry.
    mutating func began() {
        running += 1
        if running > 1 { hasBeenSeveral = true }
    }

    /// Records that a connection has ended.
    mutating func ended() {
        running -= 1
    }

    /// Records that the request for the whole file has ended.
    mutating func triedWhole() {
        recovery.triedWhole()
    }

    /// Decides what to do after a connection has failed and ended, if no other source can take over.
    mutating func failed(
        _ failure: TransferFailure, plan: inout SegmentPlan, now: Double, jitter: Double
    ) -> RetryState.Decision {
        let others = plan.receiving
        let written = plan.written.byteCount
        // The host has sent a part of the file, and some hosts ban a client that opens too many connections.
        isBanned = hasBeenSeveral && failure.mayBeBan && others == 0 && written > 0
        let decision = recovery.decide(
            failure, others: others, written: written, now: now, jitter: jitter, mayBeBan: isBanned)
        // With several active connections, the cause is the host's limit; reducing one to fewer would have no
        // effect.
        if failure.isOfNewRequests || failure.isOfNewConnections && others == 1 {
            plan.continueIntoFree(now: now)
        }
        if isBanned {
            wanted = 1
            // One of the others is retried.
            if case .retry = decision, running > 0 { return .drop }
        }
        if case .drop = decision { wanted = max(1, wanted - 1) }
        return decision
    }
}
