/// Decides whether an idle connection should take over the tail of a segment when round trips matter, and how
/// much of it.
///
/// A cut closes the victim's connection, and the bytes in flight after the cut are discarded. The victim
/// therefore keeps those bytes, while the thief pays for a response and for its slow start.
struct CutRule: Equatable, Sendable {
    /// The number of round trips after which a connection's bytes show its speed. Until then its window
    /// grows, or it has lost packets.
    static let knownTrips = 6.0
    /// The number of round trips after which slow start has ended.
    static let startTrips = 12.0
    /// During slow start, the most recent speed is more than this multiple of the mean since the first byte.
    static let startFactor = 1.5
    /// The number of round trips before the end of a segment during which its connection is no longer cut.
    static let victimTrips = 4.0
    /// The number of round trips during which a thief receives nothing.
    static let thiefTrips = 2.0
    /// The number of round trips whose bytes the server may send before the client can stop it. Linux
    /// advertises a window of about twice the bytes of the last round trip, and that may double in the next.
    static let windowTrips = 4.0
    /// In bytes. A shorter tail is not worth a request.
    static let smallestTail: Int64 = 64 * 1024

    let distance: ServerDistance
    /// The minimum length, in bytes, of a tail that is worth a request even if it saves few round trips.
    let minimum: Int64

    /// Returns true if a connection's bytes show its speed.
    ///
    /// - Parameter began: The time in seconds, on the plan's clock, at which its segment was requested.
    func isKnown(since began: Double, now: Double) -> Bool {
        now - began >= Self.knownTrips * distance.roundTrip
    }

    /// Returns true if a connection may still be in slow start: it is far faster than before, and may have
    /// few round trips left.
    ///
    /// - Parameter average: Its speed since the first byte, in bytes per second.
    func isStarting(_ victim: Segment, average: Double, now: Double) -> Bool {
        guard now - victim.began < Self.startTrips * distance.roundTrip else { return false }
        return victim.newest?.bytesPerSecond(at: now) ?? 0 > Self.startFactor * average
    }

    /// The offset at which to cut a victim; `nil` if the download would not finish earlier despite the cost
    /// of the cut.
    ///
    /// - Parameters:
    ///   - speed: The victim's speed, in bytes per second.
    ///   - thief: The speed that the thief is expected to reach, in bytes per second.
    func cut(_ victim: Segment, speed: Double, thief: Double, now: Double) -> Int64? {
        let (speed, remaining) = (max(speed, 1), victim.remaining)
        let left = Double(remaining) / speed
        guard left > Self.victimTrips * distance.turnaround, thief > 0 else { return nil }
        let newest = victim.newest?.bytesPerSecond(at: now) ?? speed
        // Both finish at the same time, as in `StealRule`.
        let taken = (left - Self.thiefTrips * distance.turnaround) * speed * thief / (speed + thief)
        let underWay = Int64(Self.windowTrips * newest * distance.roundTrip)
        let cut = max(victim.end - min(Int64(taken), remaining), victim.received + underWay)
        let saved = victim.end - cut
        guard saved >= min(minimum, Self.smallestTail),
            saved >= minimum || Double(saved) > Self.victimTrips * distance.roundTrip * speed
        else { return nil }
        return cut
    }
}
