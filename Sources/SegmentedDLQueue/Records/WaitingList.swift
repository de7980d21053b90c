internal import DequeModule
internal import SegmentedDL

/// The waiting downloads, in the order in which they will begin.
///
/// Adding at either end and removing the first one take constant time.
struct WaitingList: Sendable {
    /// The part of the sort key that precedes the position in the queue.
    struct Lane: Hashable, Comparable, Sendable {
        var priority: Int
        var hasBegun: Bool

        static func < (left: Lane, right: Lane) -> Bool {
            (right.priority, left.hasBegun ? 0 : 1) < (left.priority, right.hasBegun ? 0 : 1)
        }
    }

    private struct Entry: Sendable {
        var rank: Int64
        var id: Receipt.ID
    }

    private var lanes: [Lane: Deque<Entry>] = [:]

    mutating func insert(_ record: QueueRecord) {
        let entry = Entry(rank: record.rank, id: record.id)
        lanes[record.lane, default: []].insert(entry, at: index(of: record))
    }

    mutating func remove(_ record: QueueRecord) {
        let index = index(of: record)
        if let lane = lanes[record.lane], index < lane.count, lane[index].id == record.id {
            remove(record.lane, at: index)
        } else if let (lane, index) = place(of: record.id) {
            // The record differs from the inserted one, because another program has changed the store.
            remove(lane, at: index)
        }
    }

    private mutating func remove(_ lane: Lane, at index: Int) {
        lanes[lane]?.remove(at: index)
        if lanes[lane]?.isEmpty == true { lanes[lane] = nil }
    }

    private func place(of id: Receipt.ID) -> (Lane, Int)? {
        for (lane, entries) in lanes {
            if let index = entries.firstIndex(where: { $0.id == id }) { return (lane, index) }
        }
        return nil
    }

    /// The download to begin next.
    var first: Receipt.ID? { lanes.min { $0.key < $1.key }?.value.first?.id }

    /// Returns the downloads to begin next that have the same priority, at most `count`.
    func next(_ count: Int) -> [Receipt.ID] {
        lanes.min { $0.key < $1.key }?.value.prefix(count).map(\.id) ?? []
    }

    var isEmpty: Bool { lanes.isEmpty }

    var count: Int { lanes.values.reduce(0) { $0 + $1.count } }

    /// Returns the current or prospective index of the record in its lane.
    private func index(of record: QueueRecord) -> Int {
        guard let lane = lanes[record.lane] else { return 0 }
        var (low, high) = (0, lane.count)
        while low < high {
            let middle = (low + high) / 2
            if lane[middle].rank < record.rank { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension QueueRecord {
    fileprivate var lane: WaitingList.Lane { .init(priority: request.priority, hasBegun: hasBegun) }
}
