/// Decides when an idle connection sends the request of one that waits for a response, because the server may
/// serve only some connections at a time.
struct UnservedRule: Sendable {
    private static let mostDoublings = 6

    /// The number of times since the last response that idle connections have replaced the requests of
    /// others.
    private var insteads = 0

    /// Records that a response has arrived.
    mutating func responded() { insteads = 0 }

    /// Records that an idle connection sends a request in place of an unanswered one.
    mutating func askedInstead() {
        insteads = min(insteads + 1, Self.mostDoublings)
    }

    /// Returns the connection that has waited longest for a response, if an idle one that the server serves
    /// should send the request instead.
    ///
    /// - Parameter setup: The seconds within which a server responds on a connection that it serves.
    func unserved(in segments: SegmentList, setup: Double, now: Double) -> Segment.ID? {
        let longest = segments.values.filter { !$0.isRecalled && !$0.isAnswered }.min { $0.began < $1.began }
        guard let longest else { return nil }
        let wait = max(
            SlowConnectionThresholds.unservedSeconds, SlowConnectionThresholds.unservedFactor * setup)
        return now - longest.began >= wait * Double(1 << insteads) ? longest.id : nil
    }
}
