/// Records the source of each byte of a file, and of each segment.
struct Attribution: Equatable, Sendable {
    /// The unknown source of the bytes that an earlier run left.
    static let earlierRun = -1

    private var ranges: [Source.Index: ByteRangeSet] = [:]
    private var assigned: [Segment.ID: Source.Index] = [:]

    // MARK: Bytes

    mutating func wrote(_ range: ByteRange, by source: Source.Index) {
        ranges[source, default: ByteRangeSet()].insert(contentsOf: range)
    }

    /// Removes bytes that must be fetched again.
    mutating func remove(_ range: ByteRange) {
        for source in ranges.keys { ranges[source]?.remove(contentsOf: range) }
    }

    /// Removes all bytes.
    mutating func removeAll() {
        ranges = [:]
    }

    /// The bytes written by a source.
    subscript(source: Source.Index) -> ByteRangeSet { ranges[source] ?? ByteRangeSet() }

    /// The sources that wrote some of these bytes, with the bytes of each.
    func within(_ range: ByteRange) -> [Source.Index: ByteRangeSet] {
        let wanted = ByteRangeSet(range)
        return ranges.mapValues { $0.intersection(wanted) }.filter { !$0.value.isEmpty }
    }

    /// The sources that wrote any bytes, the one with the fewest first.
    var contributors: [Source.Index] {
        ranges.filter { !$0.value.isEmpty }
            .sorted { ($0.value.byteCount, $0.key) < ($1.value.byteCount, $1.key) }.map(\.key)
    }

    // MARK: Segments

    mutating func assign(_ segment: Segment.ID, to source: Source.Index) {
        assigned[segment] = source
    }

    mutating func release(_ segment: Segment.ID) {
        assigned[segment] = nil
    }

    func source(of segment: Segment.ID) -> Source.Index? { assigned[segment] }

    /// The segments that a source fetches.
    func segments(of source: Source.Index) -> [Segment.ID] {
        assigned.filter { $0.value == source }.map(\.key)
    }
}
