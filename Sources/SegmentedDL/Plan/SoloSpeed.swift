/// The speed of a download's first connection until a second one receives bytes. This is the baseline for the
/// gain from additional connections.
///
/// The initial period is measured separately, because a server that limits a rate may send a second's bytes
/// at once, and a connection needs some round trips to reach its full speed.
struct SoloSpeed: Equatable, Sendable {
    private struct Mark: Equatable {
        var time: Double
        var position: Int64
    }

    /// The minimum duration of a measurement, for each of the two periods.
    static let shortestSeconds = 0.025

    private var segment: Segment.ID?
    private var hasBegun = false
    private var first: Mark?
    private var middle: Mark?
    private var last: Mark?
    private var isOver = false

    /// Records the offset up to which a segment has been received.
    mutating func note(_ segment: Segment.ID, upTo position: Int64, now: Double) {
        guard !isOver else { return }
        self.segment = self.segment ?? segment
        guard segment == self.segment else {
            if let first, middle == nil, now - first.time >= Self.shortestSeconds {
                middle = Mark(time: now, position: (last ?? first).position)
            }
            isOver = true
            return
        }
        let mark = Mark(time: now, position: position)
        guard let first else {
            // The bytes that arrived with the first one took no time.
            if hasBegun { first = mark }
            hasBegun = true
            return
        }
        if middle == nil, now - first.time >= Self.shortestSeconds { middle = mark }
        last = mark
    }

    /// The speed after the initial period, in bytes per second, once a second connection has joined; `nil` if
    /// the first was alone for too short a time.
    var steady: Double? { isOver ? Self.speed(from: middle, to: last) : nil }

    /// The speed of the faster period, in bytes per second.
    var peak: Double? {
        guard isOver else { return nil }
        return [Self.speed(from: first, to: middle), steady].compactMap(\.self).max()
    }

    private static func speed(from: Mark?, to: Mark?) -> Double? {
        guard let from, let to, to.time - from.time >= shortestSeconds else { return nil }
        return Double(to.position - from.position) / (to.time - from.time)
    }
}
