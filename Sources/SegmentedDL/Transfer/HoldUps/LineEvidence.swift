/// The facts about a far line that limit each of its connections: what it loses, and its round trip.
struct LineEvidence: Sendable {
    /// The least part of the segments that come before an earlier one if some are lost: behind each that is
    /// missing come those of a round trip.
    private static let leastEarlyShare = 0.005
    /// The most segments that have waited in a queue, as a part of all: a full line drops what its queue has
    /// no room for.
    private static let mostQueuedShare = 0.25

    private var seconds = 0.0
    private var connectionSeconds = 0.0
    private var bytes: Int64 = 0
    private var arrivals = TransferCounters.Arrivals()
    private var roundTrip: Double?

    /// Adds what was measured while bytes came.
    mutating func note(_ facts: HoldUpLedger.Facts) {
        seconds += facts.seconds
        connectionSeconds += facts.seconds * Double(max(1, facts.connections))
        bytes += facts.bytes
        arrivals.add(facts.arrivals)
        roundTrip = facts.roundTrip ?? roundTrip
    }

    private var connections: Double { seconds > 0 ? connectionSeconds / seconds : 1 }

    /// Returns the conclusion where the speeds of the connections leave it open.
    ///
    /// - Parameters:
    ///   - share: The part of the time for which bytes came, and nothing else was in the way.
    ///   - total: Seconds of all of the time.
    func bottleneck(_ share: Double, of total: Double) -> Bottleneck? {
        start(share, of: total) ?? loss(share)
    }

    /// Returns the loss of packets, if there is any: a sender halves its window then, and needs many round
    /// trips to widen it again.
    func loss(_ share: Double) -> Bottleneck? {
        guard let roundTrip, roundTrip >= ServerDistance.shortestRoundTrip, connectionSeconds > 0,
            Double(arrivals.early) > Double(arrivals.segments) * Self.leastEarlyShare,
            Double(arrivals.queued) <= Double(arrivals.segments) * Self.mostQueuedShare
        else { return nil }
        return bottleneck(.loss, share, roundTrip, bytesPerSecond: Double(bytes) / connectionSeconds)
    }

    /// Returns the round trip, if slow start takes most of the time.
    private func start(_ share: Double, of total: Double) -> Bottleneck? {
        guard let roundTrip, roundTrip >= ServerDistance.shortestRoundTrip, bytes > 0 else { return nil }
        let trips = SlowStart.trips(for: Double(bytes) / connections)
        guard trips * roundTrip >= total * HoldUpLedger.leastShare else { return nil }
        return bottleneck(.roundTrip, share, roundTrip)
    }

    private func bottleneck(
        _ kind: Bottleneck.Kind, _ share: Double, _ roundTrip: Double, bytesPerSecond: Double? = nil
    ) -> Bottleneck {
        Bottleneck(
            kind, share: share, connections: Int(connections.rounded()), bytesPerSecond: bytesPerSecond,
            roundTrip: roundTrip)
    }
}
