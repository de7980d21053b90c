internal import SegmentedDL

/// The positions of downloads.
extension QueueState {
    /// Returns a rank right before another download; renumbers the others if no rank is free.
    mutating func rank(before other: ID) -> (rank: Int64, actions: [Action]) {
        var actions: [Action] = []
        while let next = records.rank(of: other) {
            let previous = records.ranks.lazy.filter { $0 < next }.max() ?? next - 2 * RankRange.gap
            if next - previous >= 2 {
                let rank = previous + (next - previous) / 2
                ranks.include(rank)
                return (rank, actions)
            }
            actions += renumber()
        }
        return (ranks.last(), actions)
    }

    private mutating func renumber() -> [Action] {
        let ids = records.ids
        hold(ids)
        // Number from the back, so that no two downloads ever have the same rank.
        var actions: [Action] = []
        let shift = (records.ranks.max() ?? 0) + RankRange.gap
        for (index, id) in ids.enumerated() {
            actions += edit(id) { $0.rank = shift + Int64(index) * RankRange.gap }
        }
        ranks = RankRange(from: shift, count: ids.count)
        return actions
    }
}
