/// The properties of a long-distance link that limit each of its connections: packet loss and round-trip
/// time.
struct LineEvidence: Sendable {
    /// The minimum share of segments that arrive out of order if some are lost: each lost segment is followed
    /// by a round trip's worth of others.
    private static let leastEarlyShare = 0.005
    /// The maximum share of segments that were queued on the way: a saturated link drops those that do not
    /// fit in its queue.
    private static let mostQueuedShare = 0.25

    private var seconds = 0.0
    private var connectionSeconds = 0.0
    private var bytes: Int64 = 0
    private var arrivals = TransferCounters.Arrivals()
    private var roundTrip: Double?

    /// Adds measurements of an interval during which bytes arrived.
    mutating func note(_ facts: HoldUpLedger.Facts) {
        seconds += facts.seconds
        connectionSeconds += facts.seconds * Double(max(1, facts.connections))
        bytes += facts.bytes
        arrivals.add(facts.arrivals)
        roundTrip = facts.roundTrip ?? roundTrip
    }

    private var connections: Double { seconds > 0 ? connectionSeconds / seconds : 1 }

    /// Returns the bottleneck if the speeds of the connections do not determine it.
    ///
    /// - Parameters:
    ///   - share: The share of the time for which bytes arrived, and no other cause applied.
    ///   - total: The total time in seconds.
    func bottleneck(_ share: Double, of total: Double) -> Bottleneck? {
        start(share, of: total) ?? loss(share)
    }

    /// Returns packet loss as the bottleneck, if there was any: the sender then halves its window, and needs
    /// many round trips to enlarge it again.
    func loss(_ share: Double) -> Bottleneck? {
        guard let roundTrip, roundTrip >= ServerDistance.shortestRoundTrip, connectionSeconds > 0,
            Double(arrivals.early) > Double(arrivals.segments) * Self.leastEarlyShare,
            Double(arrivals.queued) <= Double(arrivals.segments) * Self.mostQueuedShare
        else { return nil }
        return bottleneck(.loss, share, roundTrip, bytesPerSecond: Double(bytes) / connectionSeconds)
    }

    /// Returns the round-trip time as the bottleneck, if slow start lasts for most of the time.
    private func start(_ share: Double, of total: Double) -> Bottleneck? {
        guard let roundTrip, roundTrip >= ServerDistance.shortestRoundTrip, bytes > 0 else { return nil }
        let trips = SlowStart.trips(for: Double(bytes) / connections)
        guard trips * roundTrip >= total * HoldUpLedger.leastShare else { return nil }
        return bottleneck(.roundTrip, share, roundTrip)
    }

    private func bottleneck(
        _ kind: Bottleneck.Kind, _ share: Double, _ roundTrip: Double, bytesPerSecond: Double? = nil
    ) -> Bottleneck {
        var bottleneck = Bottleneck(
            kind, share: share, connections: Int(connections.rounded()), bytesPerSecond: bytesPerSecond)
        bottleneck.roundTripSeconds = roundTrip
        return bottleneck
    }
}
