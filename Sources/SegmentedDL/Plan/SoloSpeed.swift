/// The speed of a download's first connection until bytes arrive over a second one: the baseline for the gain
/// from others.
///
/// Its first moments are measured separately, because a server that limits a rate may send a second's bytes
/// at once, and a line needs some round trips to reach its speed.
struct SoloSpeed: Equatable, Sendable {
    private struct Mark: Equatable {
        var time: Double
        var position: Int64
    }

    /// The minimum time that counts as a measurement, for each of the two parts.
    static let shortestSeconds = 0.025

    private var segment: Segment.ID?
    private var hasBegun = false
    private var first: Mark?
    private var middle: Mark?
    private var last: Mark?
    private var isOver = false

    /// Records how far a segment has arrived.
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
            // The bytes that arrived with the first one have taken no time.
            if hasBegun { first = mark }
            hasBegun = true
            return
        }
        if middle == nil, now - first.time >= Self.shortestSeconds { middle = mark }
        last = mark
    }

    /// Bytes per second after its first moments, once a second connection has joined; `nil` if it was alone
    /// for too short a time.
    var steady: Double? { isOver ? Self.speed(from: middle, to: last) : nil }

    /// Bytes per second in its faster part.
    var peak: Double? {
        guard isOver else { return nil }
        return [Self.speed(from: first, to: middle), steady].compactMap(\.self).max()
    }

    private static func speed(from: Mark?, to: Mark?) -> Double? {
        guard let from, let to, to.time - from.time >= shortestSeconds else { return nil }
        return Double(to.position - from.position) / (to.time - from.time)
    }
}
