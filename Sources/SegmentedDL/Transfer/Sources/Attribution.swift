/// Which source wrote which bytes of a file, and which source fetches which segment.
struct Attribution: Equatable, Sendable {
    /// In place of a source for the bytes that an earlier run has left: their source is not known.
    static let earlierRun = -1

    private var ranges: [Source.Index: ByteRangeSet] = [:]
    private var assigned: [Segment.ID: Source.Index] = [:]

    // MARK: Bytes

    mutating func wrote(_ range: ByteRange, by source: Source.Index) {
        ranges[source, default: ByteRangeSet()].insert(contentsOf: range)
    }

    /// Forgets bytes that are to be fetched again.
    mutating func remove(_ range: ByteRange) {
        for source in ranges.keys { ranges[source]?.remove(contentsOf: range) }
    }

    /// Forgets all bytes.
    mutating func removeAll() {
        ranges = [:]
    }

    /// The bytes that a source wrote.
    subscript(source: Source.Index) -> ByteRangeSet { ranges[source] ?? ByteRangeSet() }

    /// The sources that wrote some of these bytes, and which ones.
    func within(_ range: ByteRange) -> [Source.Index: ByteRangeSet] {
        let wanted = ByteRangeSet(range)
        return ranges.mapValues { $0.intersection(wanted) }.filter { !$0.value.isEmpty }
    }

    /// The sources that wrote something, the one with the fewest bytes first.
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
