import Foundation

/// The congestion window of a server's TCP in bytes: slow start, and CUBIC after a loss (RFC 9438).
struct CongestionWindow {
    static let segment = 1448.0
    /// Ten segments (RFC 6928).
    static let initial = 10 * segment
    /// The factor by which CUBIC reduces the window at a loss.
    private static let kept = 0.7
    private static let cubic = 0.4

    private(set) var bytes = initial
    private var threshold = Double.infinity
    /// The window in segments before the last loss, and the time of that loss.
    private var most = 0.0
    private var lostAt = -Double.infinity

    var isStarting: Bool { bytes < threshold }

    mutating func acknowledged(_ count: Double, now: Double, roundTrip: Double) {
        guard !isStarting else {
            bytes = min(bytes + count, max(threshold, bytes))
            return
        }
        let age = now - lostAt
        let dip = cbrt(most * (1 - Self.kept) / Self.cubic)
        let curve = Self.cubic * pow(age - dip, 3) + most
        // At least as fast as Reno.
        let linear = Self.kept * most + 3 * (1 - Self.kept) / (1 + Self.kept) * age / roundTrip
        let goal = max(curve, linear) * Self.segment
        // Grows by at most a half per round trip.
        if goal > bytes { bytes += min(goal - bytes, count / 2) }
    }

    /// Records a lost packet. Several in one round trip count once.
    mutating func lost(now: Double, roundTrip: Double) {
        guard now - lostAt > roundTrip else { return }
        lostAt = now
        most = bytes / Self.segment
        bytes = max(bytes * Self.kept, 2 * Self.segment)
        threshold = bytes
    }

    /// HyStart: slow start ends when packets begin to queue.
    mutating func queued(_ seconds: Double, now: Double, roundTrip: Double) {
        guard isStarting, bytes > 16 * Self.segment, seconds > min(max(roundTrip / 8, 0.004), 0.016) else {
            return
        }
        threshold = bytes
        most = bytes / Self.segment
        lostAt = now
    }

    /// Records that nothing was sent for longer than a timeout: the window restarts.
    mutating func idled() {
        bytes = min(bytes, Self.initial)
    }
}
