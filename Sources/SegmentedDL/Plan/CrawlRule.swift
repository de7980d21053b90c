/// Decides whether one connection is so slow, or so silent, that another one should take its place.
struct CrawlRule: Equatable, Sendable {
    /// A connection is not judged before it has received for this many seconds.
    static let shortestObservationSeconds = 0.5

    /// A connection crawls below this part of the best speed.
    static let part = 1.0 / 8

    /// To end a connection's segment less than this many seconds early is not worth a new connection.
    static let smallestRestSeconds = 1.0

    /// A connection that has received for a while is silent after this many seconds without a byte.
    static let longestPauseSeconds = 1.0

    /// If other connections have no work, one is given up already if a new one would need less than this part
    /// of its time for the rest, and would save more than `smallestGainSeconds`.
    static let partOfTime = 0.5
    static let smallestGainSeconds = 0.1

    /// A connection that has not answered yet is silent after this many seconds, and not before it has taken
    /// `setupFactor` times as long as the slowest other.
    static let longestSetupSeconds = 2.0
    static let setupFactor = 4.0

    /// Bytes per second of the fastest connection.
    var best: Double

    /// The slowest first byte so far, in seconds.
    var setupTime: Double

    /// Returns true if another connection should take the place of a segment's.
    ///
    /// - Parameter othersReceive: True if bytes arrive over other connections: only then its silence is its
    ///   own fault.
    func isToBeReplaced(_ segment: Segment, othersReceive: Bool, now: Double) -> Bool {
        guard let firstByteAt = segment.firstByteAt else {
            let patience = max(Self.longestSetupSeconds, setupTime * Self.setupFactor)
            return othersReceive && now - segment.began >= patience
        }
        guard now - firstByteAt >= Self.shortestObservationSeconds, let speed = segment.speed(at: now) else {
            return false
        }
        if othersReceive, now - (segment.lastByteAt ?? firstByteAt) >= Self.longestPauseSeconds {
            return true
        }
        let rest = Double(segment.end - segment.received)
        return speed < best * Self.part && rest > max(speed, 1) * Self.smallestRestSeconds
    }

    /// Returns true if an idle connection would have the rest of a segment sooner.
    ///
    /// - Parameter typical: Bytes per second, more than 0, that a new connection is expected to reach.
    func isToBeRelieved(_ segment: Segment, typical: Double, now: Double) -> Bool {
        let rest = Double(segment.end - segment.received)
        guard rest > 0 else { return false }
        // A connection that has been silent for a while may well be so for as long again.
        let silence = now - (segment.lastByteAt ?? segment.began)
        guard segment.firstByteAt != nil else { return isSooner(setupTime, than: silence) }
        guard let speed = segment.speed(at: now) else { return false }
        return isSooner(setupTime + rest / typical, than: max(silence, rest / max(speed, 1)))
    }

    private func isSooner(_ fresh: Double, than timeLeft: Double) -> Bool {
        fresh < timeLeft * Self.partOfTime && timeLeft - fresh > Self.smallestGainSeconds
    }
}
