/// The ranks that the downloads of a queue have had.
struct RankRange: Sendable {
    /// The distance between neighbouring ranks, which leaves room for moving others between them.
    static let gap: Int64 = 1 << 20

    private var lowest: Int64 = 0
    private var highest: Int64 = 0

    init() {}

    /// Creates the range of `count` ranks with a gap after each.
    init(from lowest: Int64, count: Int) {
        self.lowest = lowest
        highest = lowest + Int64(count) * Self.gap
    }

    mutating func include(_ rank: Int64) {
        lowest = min(lowest, rank)
        highest = max(highest, rank)
    }

    /// Returns a rank after all others.
    mutating func last() -> Int64 {
        highest += Self.gap
        return highest
    }

    /// Returns a rank before all others.
    mutating func first() -> Int64 {
        lowest -= Self.gap
        return lowest
    }
}
