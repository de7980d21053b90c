internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Downloads that wait for something other than a free slot.
extension QueueState {
    /// Records that a download has passed its checks and may begin.
    mutating func passedGate(_ id: ID, run: Int, now: Date) -> [Action] {
        guard isCurrent(id, run: run), records.state(of: id) == .queued else { return [] }
        countFrom(now, id)
        return begin(id, now: now)
    }

    /// Puts a download whose run has ended on hold.
    mutating func hold(_ id: ID, _ hold: Receipt.Hold) -> [Action] {
        guard let state = records.state(of: id) else { return [] }
        let actions = state == .queued ? [] : edit(id) { $0.state = .queued }
        insertHold(id, hold)
        return actions + [.held(id)]
    }

    /// Makes downloads on hold eligible for another check. Their records remain in memory for the actions.
    mutating func release(_ ids: [ID]) -> [Action] {
        let released = ids.filter { holds[$0] != nil }
        guard !released.isEmpty else { return [] }
        hold(released)
        let isNext = nextHold != nil && released.contains { holds[$0]?.until == nextHold }
        for id in released { holds[id] = nil }
        if isNext { nextHold = holds.values.compactMap(\.until).min() }
        admit(released)
        return released.map { .updated($0) }
    }

    /// The downloads on hold for a reason.
    func held(for reason: Receipt.Hold.Reason) -> [ID] {
        holds.filter { $0.value.reason == reason }.map(\.key)
    }

    /// True if a `queued` download only waits for a free slot.
    func isListed(_ id: ID) -> Bool { holds[id] == nil && moving[id] == nil && !isRunning(id) }

    /// Requeues a download after a run during which it remained `queued`: one that performed only checks, or
    /// was part of a batch.
    ///
    /// - Parameter run: The ended run.
    mutating func list(_ id: ID, after run: Run?) {
        guard asksFirst || run?.batchPath != nil else { return }
        admit([id])
    }

    mutating func insertHold(_ id: ID, _ hold: Receipt.Hold) {
        if let record = records[id], record.state == .queued, isListed(id) { waiting.remove(record) }
        holds[id] = hold
        nextHold = [nextHold, hold.until].compactMap(\.self).min()
    }

    mutating func removeHold(_ id: ID) {
        guard let hold = holds.removeValue(forKey: id), hold.until != nil, hold.until == nextHold else {
            return
        }
        nextHold = holds.values.compactMap(\.until).min()
    }

    mutating func begin(_ id: ID, now: Date) -> [Action] {
        loners.remove(id)
        return edit(id) { $0.begin(now: now) }
    }

    /// True if nothing is running or will begin automatically.
    var isIdle: Bool {
        activeRuns == 0 && moving.isEmpty
            && (!isRunning || waiting.isEmpty && retrying.isEmpty && holds.isEmpty)
    }
}
