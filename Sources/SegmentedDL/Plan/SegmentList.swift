/// Segments in order of creation: decisions must not depend on the order of a hash table.
struct SegmentList: Equatable, Sendable {
    private(set) var values: [Segment] = []

    var isEmpty: Bool { values.isEmpty }
    var count: Int { values.count }
    var ids: [Segment.ID] { values.map(\.id) }

    /// The segment with a number; setting a new one adds it, with a number above all others.
    subscript(id: Segment.ID) -> Segment? {
        get { index(of: id).map { values[$0] } }
        set {
            switch (index(of: id), newValue) {
            case (let index?, let segment?): values[index] = segment
            case (let index?, nil): values.remove(at: index)
            case (nil, let segment?): values.append(segment)
            case (nil, nil): break
            }
        }
    }

    /// Searches by bisection: up to a thousand segments may exist, and each arriving buffer searches.
    private func index(of id: Segment.ID) -> Int? {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < values.count && values[low].id == id ? low : nil
    }

    /// Returns the seconds for which connections that have received a few bytes have waited for a buffer.
    func longestStart(at now: Double) -> Double {
        values.filter { $0.firstByteAt != nil && $0.isStarting(at: now) }.map { now - $0.began }.max() ?? 0
    }

    /// Returns true if the server has fallen silent in the middle of an answer, and sends nothing over any
    /// other connection: further requests may have to wait as well, until a trial disproves it.
    func areSilent(at now: Double) -> Bool {
        guard values.contains(where: { $0.hasBegun && $0.isAnswered && !$0.isRecalled }),
            let last = values.compactMap(\.lastByteAt).max()
        else { return false }
        return now - last >= StealRule.longestObservationSeconds
    }
}
