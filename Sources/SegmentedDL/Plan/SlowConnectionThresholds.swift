/// Decides whether one connection is so slow, or so silent, that another one should replace it.
struct SlowConnectionThresholds: Equatable, Sendable {
    /// The minimum time in seconds that a connection has received before it is judged.
    static let shortestObservationSeconds = 0.5

    /// A connection crawls below this fraction of the best speed.
    static let part = 1.0 / 8

    /// Ending a connection's segment less than this many seconds early is not worth a new connection.
    static let smallestRestSeconds = 1.0

    /// A connection that has received for a while is silent after this many seconds without a byte.
    static let longestPauseSeconds = 1.0

    /// If other connections are idle, one is already given up if a new one would need less than this fraction
    /// of its time for the rest, and would save more than `smallestGainSeconds`.
    static let partOfTime = 0.5
    static let smallestGainSeconds = 0.1

    /// A connection without an answer is silent after this many seconds, and not before `setupFactor` times
    /// the setup time of the slowest other.
    static let longestSetupSeconds = 2.0
    static let setupFactor = 4.0
    /// If a server has answered only one request, another one has no answer after this many seconds, and not
    /// before `setupFactor` times the slowest first byte: a thread that waits for a slow disk receives no
    /// answer either.
    static let lateAnswerSeconds = 0.5

    /// An idle connection sends its own request in place of one without an answer after this many seconds,
    /// and not before `unservedFactor` times the time of an answer.
    static let unservedSeconds = 0.25
    static let unservedFactor = 2.0

    /// Fewer bytes per second are not progress, but a scanner's keep-alive: other equally slow connections
    /// prove nothing.
    static let leastSpeed = 4096.0

    /// The timeout of a connection is this factor times the longest wait that was followed by bytes.
    static let waitFactor = 1.25

    /// Round trips during which a connection's bytes do not yet show that it is slower than others.
    static let slowStartTrips = 12.0

    /// Bytes per second of the fastest connection.
    var best: Double

    /// The slowest first byte so far, in seconds.
    var setupTime: Double

    /// The longest silence of a connection so far, in seconds, that was followed by bytes.
    var longestWait = 0.0

    /// Seconds of a round trip; 0 if it does not matter. The bytes of its first round trips do not show a
    /// connection's speed, and a lost packet alone causes a pause of several.
    var roundTrip = 0.0

    /// Doubled for each connection that was given up for one that also waits.
    var patienceFactor = 1.0

    /// Seconds for which a new connection is expected to stall, as others did; 0 for none. If round trips
    /// matter, a lost packet alone causes a shorter wait.
    var holdUp: Double {
        let least = roundTrip > 0 ? SlowConnectionPolicy.longestSilenceSeconds : Self.longestPauseSeconds
        return longestWait >= least ? longestWait : 0
    }

    /// Returns true if a segment receives no bytes, and others have waited for long before they continued:
    /// its speed so far proves nothing.
    func waits(_ segment: Segment, now: Double) -> Bool {
        guard holdUp > 0, let lastByteAt = segment.lastByteAt else { return false }
        return now - lastByteAt >= StealRule.longestObservationSeconds
    }

    /// Returns true if another connection should replace a segment's.
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

    /// Returns the seconds without real progress after which a connection is silent, while others receive.
    func patience(with segment: Segment) -> Double {
        segment.hasBegun
            ? max(
                Self.longestPauseSeconds * patienceFactor, longestWait * Self.waitFactor,
                CutRule.victimTrips * roundTrip)
            : max(
                Self.longestSetupSeconds * patienceFactor, setupTime * Self.setupFactor,
                longestWait * Self.waitFactor)
    }

    /// Returns true if an idle connection would receive the rest of a segment sooner.
    ///
    /// - Parameter typical: Bytes per second, more than 0, that a new connection is expected to reach.
    func isToBeRelieved(_ segment: Segment, typical: Double, now: Double) -> Bool {
        let rest = Double(segment.end - segment.received)
        guard rest > 0 else { return false }
        // A connection that has been silent for a while may remain so for as long again.
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

    /// Seconds until a new connection reaches its speed.
    private var slowStart: Double { CutRule.victimTrips * roundTrip }

    private func isOutOfSlowStart(_ segment: Segment, now: Double) -> Bool {
        now - segment.began >= Self.slowStartTrips * roundTrip
    }
}
