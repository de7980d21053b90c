import SegmentedDL

/// The order of the downloads.
extension QueueState {
    mutating func setPriority(_ priority: Int, of id: ID) -> [Action] {
        let actions = edit(id) { $0.request.priority = priority }
        return actions.isEmpty ? [] : actions + returnFromBatch(id)
    }

    /// Returns a small file to the queue, where it has another position now.
    private mutating func returnFromBatch(_ id: ID) -> [Action] {
        guard isBatched(id), records.state(of: id) == .queued, intent(of: id) == nil else { return [] }
        return setRun(id, intent: .resume)
    }

    /// A position that a download can be moved to.
    enum Target: Equatable, Sendable {
        case front, back
        case before(ID)
    }

    mutating func move(_ id: ID, to target: Target) -> [Action] {
        var actions: [Action] = []
        let rank: Int64
        switch target {
        case .front: rank = ranks.first()
        case .back: rank = ranks.last()
        case .before(let other):
            guard other != id, records.contains(other) else { return [] }
            let place = self.rank(before: other)
            actions = place.actions
            rank = place.rank
        }
        return actions
            + edit(id) { record in
                record.rank = rank
                // It began before the others, but its position among them was just chosen.
                if record.state == .queued { record.hasBegun = false }
            } + returnFromBatch(id) + [.reordered]
    }

    /// Returns a rank right before another download; renumbers the others if no rank is free.
    private mutating func rank(before other: ID) -> (rank: Int64, actions: [Action]) {
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
