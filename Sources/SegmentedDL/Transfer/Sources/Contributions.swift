/// Which source wrote which bytes of a file.
struct Contributions: Equatable, Sendable {
    /// Who wrote what an earlier run has left.
    static let earlier = -1

    private var ranges: [Source.Index: ByteRangeSet] = [:]

    mutating func wrote(_ range: ByteRange, by source: Source.Index) {
        ranges[source, default: ByteRangeSet()].insert(contentsOf: range)
    }

    /// The bytes are to be fetched again.
    mutating func remove(_ range: ByteRange) {
        for source in ranges.keys { ranges[source]?.remove(contentsOf: range) }
    }

    subscript(source: Source.Index) -> ByteRangeSet { ranges[source] ?? ByteRangeSet() }

    /// Those who wrote some of these bytes, and which.
    func within(_ range: ByteRange) -> [Source.Index: ByteRangeSet] {
        let wanted = ByteRangeSet(range)
        return ranges.mapValues { $0.intersection(wanted) }.filter { !$0.value.isEmpty }
    }

    /// All who wrote something, the one with the fewest bytes first.
    var contributors: [Source.Index] {
        ranges.filter { !$0.value.isEmpty }
            .sorted { ($0.value.byteCount, $0.key) < ($1.value.byteCount, $1.key) }.map(\.key)
    }
}
