/// Decides whether a connection is so slow, or has been silent for so long, that another one should replace
/// it.
struct SlowConnectionThresholds: Equatable, Sendable {
    /// The minimum time, in seconds, for which a connection must have received data before it is judged.
    static let shortestObservationSeconds = 0.5

    /// A connection is too slow if its speed is below this fraction of the best speed.
    static let part = 1.0 / 8

    /// If a segment would finish less than this many seconds earlier, a new connection is not worthwhile.
    static let smallestRestSeconds = 1.0

    /// A connection that has received data for a while is silent after this many seconds without a byte.
    static let longestPauseSeconds = 1.0

    /// If other connections are idle, a connection is given up as soon as a new one would need less than this
    /// fraction of its time for the rest, and would save more than `smallestGainSeconds`.
    static let partOfTime = 0.5
    static let smallestGainSeconds = 0.1

    /// A connection without a response is silent after this many seconds, but not before `setupFactor` times
    /// the setup time of the slowest other connection.
    static let longestSetupSeconds = 2.0
    static let setupFactor = 4.0
    /// If a server has responded to only one request, another one counts as unanswered after this many
    /// seconds, but not before `setupFactor` times the slowest first byte. A thread that waits for a slow
    /// disk receives no response either.
    static let lateAnswerSeconds = 0.5

    /// An idle connection sends its own request in place of an unanswered one after this many seconds, but
    /// not before `unservedFactor` times the time of a response.
    static let unservedSeconds = 0.25
    static let unservedFactor = 2.0

    /// In bytes per second. Anything slower is a scanner's keep-alive, not progress. Other equally slow
    /// connections prove nothing.
    static let leastSpeed = 4096.0

    /// The timeout of a connection is this factor times the longest wait that was followed by bytes.
    static let waitFactor = 1.25

    /// The number of round trips during which a connection's bytes do not yet show that it is slower than
    /// others.
    static let slowStartTrips = 12.0

    /// The speed of the fastest connection, in bytes per second.
    var best: Double

    /// The longest time until a first byte so far, in seconds.
    var setupTime: Double

    /// The longest silence of a connection so far, in seconds, that was followed by bytes.
    var longestWait = 0.0

    /// The round-trip time in seconds; 0 if it does not matter. The bytes of the first round trips do not
    /// show a connection's speed, and a lost packet alone causes a pause of several round trips.
    var roundTrip = 0.0

    /// Doubled for each connection that was given up in favour of one that also waits.
    var patienceFactor = 1.0

    /// The number of seconds for which a new connection is expected to stall, as others did; 0 for none. If
    /// round trips matter, a lost packet alone causes a shorter wait.
    var holdUp: Double {
        let least = roundTrip > 0 ? SlowConnectionPolicy.longestSilenceSeconds : Self.longestPauseSeconds
        return longestWait >= least ? longestWait : 0
    }

    /// Returns true if a segment is not receiving bytes, and others have waited long before they continued,
    /// so that its speed so far proves nothing.
    func waits(_ segment: Segment, now: Double) -> Bool {
        guard holdUp > 0, let lastByteAt = segment.lastByteAt else { return false }
        return now - lastByteAt >= StealRule.longestObservationSeconds
    }

    /// Returns true if another connection should replace a segment's.
    ///
    /// - Parameter othersReceive: True if bytes are arriving over other connections. Only then is the
    ///   connection itself the cause of its silence.
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

    /// Returns the seconds without real progress after which a connection is silent, while others receive
    /// data.
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
    /// - Parameter typical: The speed that a new connection is expected to reach, in bytes per second,
    ///   greater than 0.
    func isToBeRelieved(_ segment: Segment, typical: Double, now: Double) -> Bool {
        let rest = Double(segment.end - segment.received)
        guard rest > 0 else { return false }
        // A connection that has been silent for a while may remain silent for as long again.
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

    /// The number of seconds until a new connection reaches its full speed.
    private var slowStart: Double { CutRule.victimTrips * roundTrip }

    private func isOutOfSlowStart(_ segment: Segment, now: Double) -> Bool {
        now - segment.began >= Self.slowStartTrips * roundTrip
    }
}
