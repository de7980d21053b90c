/// The speeds of connections over whole seconds.
///
/// A server that limits a rate may send a second's worth at once, each second. Over two whole seconds that
/// makes no difference, and what it sends at first is left out.
struct ConnectionPaces: Sendable {
    private typealias Mark = (time: Double, position: Int64)

    /// The time over which a speed is measured.
    static let windowSeconds = 2.0
    /// The earliest and latest moment of a sample, as it may come a little late.
    private static let tolerance = 0.05

    private var marks: [Segment.ID: [Mark]] = [:]

    /// Takes a sample.
    ///
    /// - Returns: The speeds of those connections that have been at work for long enough.
    mutating func speeds(of segments: [Segment], now: Double) -> [Segment.ID: Double] {
        var kept: [Segment.ID: [Mark]] = [:]
        var speeds: [Segment.ID: Double] = [:]
        for segment in segments {
            var history = marks[segment.id] ?? []
            history.append((now, segment.received))
            let start = now - Self.windowSeconds + Self.tolerance
            // The newest mark that is old enough is the first.
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
