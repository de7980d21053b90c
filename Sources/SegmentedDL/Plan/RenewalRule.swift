import Foundation

/// Decides whether a new connection should fetch the rest of a segment that packet loss has slowed down.
///
/// A congestion window grows slowly after a loss, so with random packet loss a connection in slow start is
/// faster for a while. On a saturated link it is not, because it would lose as many packets.
struct RenewalRule: Equatable, Sendable {
    /// The number of round trips after the first byte after which a connection's speed is known.
    static let knownTrips = 10.0
    /// The link has spare capacity if the speed of all connections together is below this fraction of the
    /// best.
    static let partOfBest = 0.7
    /// A new connection must need less than this fraction of the remaining time.
    static let partOfTime = 0.25
    /// The number of round trips whose bytes the old connection keeps, so that none of them are sent twice.
    static let keptTrips = 2.0

    /// The minimum window, in seconds, in which the speed of all connections together is measured.
    private static let shortestWindow = 0.2

    /// The speed of all connections together. The sum of their own speeds would be too high, because
    /// connections receive their windows in turn.
    private var recent: RecentSpeed?
    /// The highest speed so far, in bytes per second.
    private var best = 0.0

    /// Returns the offsets at which segments should end.
    ///
    /// - Parameters:
    ///   - carried: The bytes of all connections so far, received in any order.
    ///   - now: The time in seconds, on the plan's clock.
    mutating func cuts(
        _ segments: SegmentList, carried: Int64, over distance: ServerDistance, now: Double
    ) -> [(id: Segment.ID, offset: Int64)] {
        let window = max(Self.shortestWindow, distance.roundTrip)
        recent = recent ?? RecentSpeed(since: now, at: carried, window: window)
        recent?.note(carried, at: now)
        guard let speed = recent?.bytesPerSecond(at: now) else { return [] }
        best = max(best, speed)
        guard speed < best * Self.partOfBest else { return [] }
        return segments.values.compactMap { segment in
            guard let newest = segment.newest?.bytesPerSecond(at: now),
                let firstByteAt = segment.firstByteAt, !segment.isRecalled,
                now - firstByteAt >= Self.knownTrips * distance.roundTrip
            else { return nil }
            let speed = max(newest, 1)
            let offset = segment.claimed + Int64(Self.keptTrips * speed * distance.roundTrip)
            let rest = Double(segment.end - offset)
            guard rest > 0, isWorthwhile(rest, speed, over: distance) else { return nil }
            return (segment.id, offset)
        }
    }

    private func isWorthwhile(_ bytes: Double, _ speed: Double, over distance: ServerDistance) -> Bool {
        let trips = ServerDistance.connectTrips + SlowStart.trips(for: bytes)
        let fresh = distance.turnaround + trips * distance.roundTrip
        return CongestionAvoidance.bytes(
            after: fresh / Self.partOfTime, from: speed, over: distance.roundTrip)
            < bytes
    }
}

/// The number of bytes that a connection receives while its server's congestion window grows after a loss
/// (CUBIC, RFC 9438).
enum CongestionAvoidance {
    /// The growth of a window in segments per cubic second.
    private static let growth = 0.4

    /// - Parameters:
    ///   - seconds: The time without another loss.
    ///   - speed: The initial speed, in bytes per second.
    ///   - roundTrip: The round-trip time in seconds.
    static func bytes(after seconds: Double, from speed: Double, over roundTrip: Double) -> Double {
        speed * seconds + growth / 4 * pow(seconds, 4) * SlowStart.segment / roundTrip
    }
}
