/// Decides whether an idle connection should take over the tail of a segment when round trips matter, and how
/// much of it.
///
/// A cut ends the victim's connection, and bytes in flight behind it are discarded. So the victim keeps
/// those; and the thief pays for an answer, and for its slow start.
struct CutRule: Equatable, Sendable {
    /// Round trips after which the bytes of a connection show its speed: until then its window grows, or it
    /// has lost packets.
    static let knownTrips = 6.0
    /// Round trips after which slow start has ended.
    static let startTrips = 12.0
    /// During slow start the newest speed is more than this multiple of the mean since the first byte.
    static let startFactor = 1.5
    /// Round trips before the end of a segment at which its connection is no longer cut.
    static let victimTrips = 4.0
    /// Round trips during which a thief receives nothing.
    static let thiefTrips = 2.0
    /// Round trips whose bytes the server may send before the client can stop it: Linux offers a window of
    /// about twice the bytes of the last one, and that may double in the next.
    static let windowTrips = 4.0
    /// Bytes. A shorter tail is not worth a request.
    static let smallestTail: Int64 = 64 * 1024

    let distance: ServerDistance
    /// The minimum tail in bytes that is worth a request although it saves few round trips.
    let minimum: Int64

    /// Returns true if a connection's bytes show its speed.
    ///
    /// - Parameter began: Seconds on the plan's clock at which its segment was requested.
    func isKnown(since began: Double, now: Double) -> Bool {
        now - began >= Self.knownTrips * distance.roundTrip
    }

    /// Returns true if a connection may still be in slow start: it is far faster than it was before, and may
    /// have few round trips left.
    ///
    /// - Parameter average: Its bytes per second since the first one.
    func isStarting(_ victim: Segment, average: Double, now: Double) -> Bool {
        guard now - victim.began < Self.startTrips * distance.roundTrip else { return false }
        return victim.newest?.bytesPerSecond(at: now) ?? 0 > Self.startFactor * average
    }

    /// The offset at which to cut a victim; `nil` if the download does not end earlier after paying for it.
    ///
    /// - Parameters:
    ///   - speed: Bytes per second of the victim.
    ///   - thief: Bytes per second that the thief is expected to reach.
    func cut(_ victim: Segment, speed: Double, thief: Double, now: Double) -> Int64? {
        let (speed, remaining) = (max(speed, 1), victim.remaining)
        let left = Double(remaining) / speed
        guard left > Self.victimTrips * distance.turnaround, thief > 0 else { return nil }
        let newest = victim.newest?.bytesPerSecond(at: now) ?? speed
        // Both end together, as in `StealRule`.
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
