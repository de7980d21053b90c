/// Determines whether silent connections themselves are the cause of their silence. A new connection replaces
/// or joins one of them, and the others are kept until it is known whether the new one passes the point at
/// which the old one fell silent.
///
/// A server or a scanner that pauses within each response also pauses within that of a new connection, from
/// the start.
struct SilenceTrial: Sendable {
    private struct GivenUp {
        /// The time in seconds, on the plan's clock.
        var at: Double
        /// The number of bytes that another connection must exceed.
        var bytes: Int64
    }

    /// The connection that was given up, while it is unknown whether that has helped.
    private var givenUp: GivenUp?

    /// A silence that began before this time, on the plan's clock, is caused by the connection itself.
    private var provenUntil = -Double.infinity

    /// Returns true if a segment's connection is silent, and the cause is unknown.
    func isNeeded(for segment: Segment, now: Double) -> Bool {
        guard let lastByteAt = segment.lastByteAt else { return false }
        return segment.isSilent(at: now) && lastByteAt >= provenUntil
    }

    /// Returns true if a silent connection is kept until a trial ends.
    func keepsWaiting(_ segment: Segment, now: Double) -> Bool {
        givenUp != nil && isNeeded(for: segment, now: now)
    }

    /// Begins a trial of a silent connection.
    mutating func begin(with segment: Segment, now: Double) {
        givenUp = GivenUp(at: now, bytes: segment.received - segment.start + Flow.fullBytes)
    }

    /// Records that the new connection has not fallen silent, so the silence of others is caused by
    /// themselves.
    mutating func prove() {
        if let givenUp { provenUntil = givenUp.at }
        givenUp = nil
    }

    /// Ends the trial without a result.
    mutating func end() {
        givenUp = nil
    }

    /// Ends the trial if its result is known.
    ///
    /// - Parameters:
    ///   - ended: The times at which connections have ended, and the number of bytes that each received.
    ///   - convincing: The seconds of arriving bytes after which a new connection is unlikely to fall silent.
    /// - Returns: True if all connections that have begun since are silent as well.
    mutating func hasFailed(
        in segments: SegmentList, ended: [(at: Double, bytes: Int64)], convincing: Double, now: Double
    ) -> Bool {
        guard let givenUp else { return false }
        let later = segments.values.filter { $0.began >= givenUp.at && !$0.isRecalled }
        let isPassed = later.contains {
            $0.received - $0.start >= givenUp.bytes || $0.flowSeconds > 0 && $0.flowSeconds >= convincing
        }
        if isPassed || ended.contains(where: { $0.at >= givenUp.at && $0.bytes >= givenUp.bytes }) {
            prove()
            return false
        }
        let isSilent = later.allSatisfy { segment in
            guard let since = segment.waitsSince(at: now) else { return false }
            return segment.hasBegun || now - since >= SlowConnectionThresholds.longestSetupSeconds
        }
        guard !later.isEmpty, isSilent else { return false }
        self.givenUp = nil
        return true
    }
}
