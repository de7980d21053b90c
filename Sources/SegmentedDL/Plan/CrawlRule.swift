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

    /// An idle connection asks in the place of one without an answer after this many seconds, and not before
    /// `unservedFactor` times as long as an answer takes.
    static let unservedSeconds = 0.25
    static let unservedFactor = 2.0

    /// Fewer bytes per second are no progress, but what a scanner sends to keep a connection up: others that
    /// are as slow prove nothing.
    static let leastSpeed = 4096.0

    /// A connection is as patient as the longest wait that brought bytes, and a part of it more.
    static let waitFactor = 1.25

    /// Round trips in which the bytes of a connection do not tell yet that it is slower than others.
    static let slowStartTrips = 12.0

    /// Bytes per second of the fastest connection.
    var best: Double

    /// The slowest first byte so far, in seconds.
    var setupTime: Double

    /// The longest silence of a connection so far, in seconds, after which it brought bytes again.
    var longestWait = 0.0

    /// Seconds of a round trip; 0 where it does not count. The bytes of its first round trips do not tell a
    /// connection's speed, and a lost packet alone makes a pause of some.
    var roundTrip = 0.0

    /// Doubled with each connection that was given up for one that waits as well.
    var patienceFactor = 1.0

    /// Seconds for which a new connection is held up, as others were; 0 for none. Where round trips count, a
    /// lost packet alone makes a shorter wait.
    var holdUp: Double {
        let least = roundTrip > 0 ? SlowConnectionPolicy.longestSilenceSeconds : Self.longestPauseSeconds
        return longestWait >= least ? longestWait : 0
    }

    /// Returns true if no bytes of a segment come, and others have waited for long before they went on: its
    /// speed until now says nothing.
    func waits(_ segment: Segment, now: Double) -> Bool {
        guard holdUp > 0, let lastByteAt = segment.lastByteAt else { return false }
        return now - lastByteAt >= StealRule.longestObservationSeconds
    }

    /// Returns true if another connection should take the place of a segment's.
    ///
    /// - Parameter othersReceive: True if bytes arrive over other connections: only then its silence is its
    ///   own fault.
    func isToBeReplaced(_ segment: Segment, othersReceive: Bool, now: Double) -> Bool {
        if let since = segment.waitsSince(at: now) {
            return othersReceive && now - since >= patience(with: segment)
        }
        guard !waits(segment, now: now), let firstByteAt = segment.firstByteAt,
            let speed = segment.speed(at: now), now - firstByteAt >= Self.shortestObservationSeconds,
            isOutOfSlowStart(segment, now: now),
            best >= Self.leastSpeed
        else { return false }
        let rest = Double(segment.end - segment.received)
        let least = max(Self.smallestRestSeconds, roundTrip > 0 ? setupTime + slowStart : 0)
        return speed < best * Self.part && rest > max(speed, 1) * least
    }

    /// Returns the seconds without real progress after which a connection is silent, beside others that
    /// receive.
    func patience(with segment: Segment) -> Double {
        segment.hasBegun
            ? max(
                Self.longestPauseSeconds * patienceFactor, longestWait * Self.waitFactor,
                CutRule.victimTrips * roundTrip)
            : max(
                Self.longestSetupSeconds * patienceFactor, setupTime * Self.setupFactor,
                longestWait * Self.waitFactor)
    }

    /// Returns true if an idle connection would have the rest of a segment sooner.
    ///
    /// - Parameter typical: Bytes per second, more than 0, that a new connection is expected to reach.
    func isToBeRelieved(_ segment: Segment, typical: Double, now: Double) -> Bool {
        let rest = Double(segment.end - segment.received)
        guard rest > 0 else { return false }
        // A connection that has been silent for a while may well be so for as long again.
        let silence = now - (segment.waitsSince(at: now) ?? segment.lastByteAt ?? segment.began)
        if waits(segment, now: now), silence < patience(with: segment) { return false }
        guard segment.firstByteAt != nil, !segment.isStarting(at: now) else {
            return isSooner(setupTime + slowStart, than: silence)
        }
        if segment.waitsSince(at: now) != nil, silence < patience(with: segment) { return false }
        guard isOutOfSlowStart(segment, now: now), let speed = segment.speed(at: now) else { return false }
        let fresh = setupTime + slowStart + rest / typical + holdUp
        return isSooner(fresh, than: max(silence, rest / max(speed, 1)))
    }

    private func isSooner(_ fresh: Double, than timeLeft: Double) -> Bool {
        fresh < timeLeft * Self.partOfTime && timeLeft - fresh > max(Self.smallestGainSeconds, slowStart)
    }

    /// Seconds that a new connection needs until it is fast.
    private var slowStart: Double { CutRule.victimTrips * roundTrip }

    private func isOutOfSlowStart(_ segment: Segment, now: Double) -> Bool {
        now - segment.began >= Self.slowStartTrips * roundTrip
    }
}
