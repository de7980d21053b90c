/// Decides whether a connection is so slow, or so silent, that another one should take its place.
struct CrawlRule: Equatable, Sendable {
    /// A connection is not judged before it has received for so many seconds.
    static let shortestObservation = 0.5

    /// For how many seconds a connection that has ended says how fast one can be.
    static let memory = 5.0

    /// It crawls below this part of the best speed.
    static let part = 1.0 / 8

    /// It is not worth a new connection to end it less than this many seconds early.
    static let smallestRest = 1.0

    /// A connection that has received for a while is silent after so many seconds without a byte.
    static let longestPause = 1.0

    /// With connections that have no work, one is given up already if a fresh one would need less than this part of
    /// its time for the rest, and would save more than `smallestGain` seconds.
    static let partOfTime = 0.5
    static let smallestGain = 0.1

    /// Where nothing comes over any connection, one of them is given up for a fresh one after so many seconds; the
    /// next after twice as many, and so on until a byte comes: it may be the network that is silent.
    static let longestSilence = 3.0

    /// After so many connections in a row that never got going, beside one that works, no further ones are tried for
    /// `shortestReliance` seconds; the next time for twice as long.
    static let mostStillborn = 3
    static let shortestReliance = 5.0

    /// For so many seconds after a limit of our own has held bytes back, no connection is judged: as long as the
    /// window lasts in which speeds are measured.
    static let memoryOfLimits = 2.0

    /// One that has not answered yet is silent after so many seconds, and not before it has taken
    /// `setupFactor` times as long as the slowest other.
    static let longestSetup = 2.0
    static let setupFactor = 4.0

    /// Bytes per second of the fastest connection.
    var best: Double

    /// The slowest first byte so far, in seconds.
    var setupTime: Double

    /// - Parameter othersReceive: Whether bytes arrive over other connections: only then it is this one's fault.
    func isToBeReplaced(_ segment: Segment, othersReceive: Bool, now: Double) -> Bool {
        guard let firstByteAt = segment.firstByteAt else {
            let patience = max(Self.longestSetup, setupTime * Self.setupFactor)
            return othersReceive && now - segment.began >= patience
        }
        guard now - firstByteAt >= Self.shortestObservation, let speed = segment.speed(at: now) else {
            return false
        }
        if othersReceive, now - (segment.lastByteAt ?? firstByteAt) >= Self.longestPause { return true }
        let rest = Double(segment.end - segment.received)
        return speed < best * Self.part && rest > max(speed, 1) * Self.smallestRest
    }

    /// Whether an idle connection would have the rest of a segment sooner.
    ///
    /// - Parameter typical: Bytes per second, more than 0, that a fresh connection is expected to reach.
    func isToBeRelieved(_ segment: Segment, typical: Double, now: Double) -> Bool {
        let rest = Double(segment.end - segment.received)
        guard rest > 0 else { return false }
        // One that has been silent for a while may well be so for as long again.
        let silence = now - (segment.lastByteAt ?? segment.began)
        guard segment.firstByteAt != nil else { return isSooner(setupTime, than: silence) }
        guard let speed = segment.speed(at: now) else { return false }
        return isSooner(setupTime + rest / typical, than: max(silence, rest / max(speed, 1)))
    }

    private func isSooner(_ fresh: Double, than timeLeft: Double) -> Bool {
        fresh < timeLeft * Self.partOfTime && timeLeft - fresh > Self.smallestGain
    }
}
