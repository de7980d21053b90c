/// Segments in order of creation, because decisions must not depend on the order of a hash table.
struct SegmentList: Equatable, Sendable {
    private(set) var values: [Segment] = []

    var isEmpty: Bool { values.isEmpty }
    var count: Int { values.count }
    var ids: [Segment.ID] { values.map(\.id) }

    /// The segment with an identifier. Setting a new one adds it; its identifier must exceed all others.
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

    /// Uses binary search, because there may be a thousand segments, and each received buffer causes a
    /// search.
    private func index(of id: Segment.ID) -> Int? {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < values.count && values[low].id == id ? low : nil
    }

    /// Returns the longest time, in seconds, for which a connection that has received only a few bytes has
    /// waited for a buffer.
    func longestStart(at now: Double) -> Double {
        values.filter { $0.firstByteAt != nil && $0.isStarting(at: now) }.map { now - $0.began }.max() ?? 0
    }

    /// Returns true if the server has fallen silent in the middle of a response, and sends nothing over any
    /// other connection. Further requests may have to wait as well, until a trial disproves it.
    func areSilent(at now: Double) -> Bool {
        guard values.contains(where: { $0.hasBegun && $0.isAnswered && !$0.isRecalled }),
            let last = values.compactMap(\.lastByteAt).max()
        else { return false }
        return now - last >= StealRule.longestObservationSeconds
    }
}
