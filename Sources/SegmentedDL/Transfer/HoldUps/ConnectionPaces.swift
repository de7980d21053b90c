/// The speeds of connections over whole seconds.
///
/// A server that limits its rate may send each second's bytes in one burst, which makes no difference over
/// two whole seconds. The initial burst is excluded.
struct ConnectionPaces: Sendable {
    private typealias Mark = (time: Double, position: Int64)

    /// The time over which speed is measured.
    static let windowSeconds = 2.0
    /// The tolerance for samples that are slightly late.
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
            // Drop the marks before the newest one that is old enough.
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
