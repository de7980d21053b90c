/// The speeds of connections over whole seconds.
///
/// A server that limits its rate may send each second's bytes in one burst. Over two whole seconds this makes
/// no difference, and the initial burst is excluded.
struct ConnectionPaces: Sendable {
    private typealias Mark = (time: Double, position: Int64)

    /// The time over which speed is measured.
    static let windowSeconds = 2.0
    /// The tolerance for the time of a sample, which may be slightly late.
    private static let tolerance = 0.05

    private var marks: [Segment.ID: [Mark]] = [:]

    /// Records a sample.
    ///
    /// - Returns: The speeds of the connections that have been active for long enough.
    mutating func speeds(of segments: [Segment], now: Double) -> [Segment.ID: Double] {
        var kept: [Segment.ID: [Mark]] = [:]
        var speeds: [Segment.ID: Double] = [:]
        for segment in segments {
            var history = marks[segment.id] ?? []
            history.append((now, segment.received))
            let start = now - Self.windowSeconds + Self.tolerance
            // The newest mark that is old enough becomes the first.
            if let from = history.lastIndex(where: { $0.time <= start }) {
                history.removeFirst(from)
                let seconds = now - history[0].time
                speeds[segment.id] = Double(segment.received - history[0].position) / seconds
            }
            kept[segment.id] = history
        }
        marks = kept
        return speeds
    }
}
