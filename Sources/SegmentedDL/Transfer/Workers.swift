/// The connections of one download: how many there are, how many there should be, and what follows when one ends.
///
/// A plain value: it opens nothing and waits for nothing.
struct Workers: Sendable {
    /// How many there should be.
    private(set) var wanted: Int

    /// How many there are, including those that wait for their turn or before a retry.
    private(set) var running = 0

    /// Whether the first connection's speed says if there are to be others.
    private let isMeasured: Bool
    private var recovery: RetryState

    /// - Parameter isMeasured: Whether `wanted` is only the most that there may be, and the first connection's speed
    ///   says whether others would bring something.
    init(wanted: Int, isMeasured: Bool, recovery: RetryState) {
        self.wanted = wanted
        self.isMeasured = isMeasured
        self.recovery = recovery
    }

    /// Whether the first connection's speed is yet to say if there are to be others.
    var isWaiting: Bool { isMeasured && running == 1 && wanted > 1 }

    /// The connection of the first response goes on.
    mutating func addFirst() {
        running += 1
    }

    /// Adds connections while there is work that one more would end earlier. Where there is none, those that hold
    /// up the end are to be replaced.
    ///
    /// - Returns: How many have been added.
    mutating func add(for plan: inout SegmentPlan, now: Double) -> Int {
        guard running < wanted else { return 0 }
        if isMeasured, running > 0, !plan.isWorthConnecting(now: now) { return 0 }
        if plan.openings(now: now) == 0 { plan.relieveSlow(now: now) }
        let added = plan.openings(now: now, atMost: wanted - running)
        running += added
        return added
    }

    /// Decides what follows the end of a connection's work. One that is to be retried still counts as running.
    ///
    /// - Parameters:
    ///   - failure: Why it ended early; `nil` if there was no work for it any more.
    ///   - jitter: A random number from 0 to 1.
    /// - Returns: `nil` if nothing follows.
    mutating func ended(
        _ failure: TransferFailure?, plan: inout SegmentPlan, now: Double, jitter: Double
    ) -> RetryState.Decision? {
        running -= 1
        guard let failure else { return nil }
        let others = plan.receiving
        let decision = recovery.decide(
            failure, others: others, written: plan.written.byteCount, now: now, jitter: jitter)
        // With several connections at work the host's cap will do; a single one would be cut for nothing.
        if failure.isOfNewRequests || failure.isOfNewConnections && others == 1 {
            plan.goOnIntoFree(now: now)
        }
        switch decision {
        case .retry: running += 1
        case .drop: wanted = max(1, wanted - 1)
        case .singleStream, .startOver, .fail: break
        }
        return decision
    }
}
