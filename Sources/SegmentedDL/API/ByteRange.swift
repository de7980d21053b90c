/// A half-open interval of byte offsets, `0 ≤ lowerBound ≤ upperBound`.
///
/// Half-open everywhere in code; inclusive only on the wire (RFC 9110, section 14.1.2).
public typealias ByteRange = Range<Int64>

/// The byte ranges of a file, disjoint and in order.
public typealias ByteRangeSet = RangeSet<Int64>

extension Range where Bound == Int64 {
    /// The number of bytes in the range.
    var length: Int64 { upperBound - lowerBound }
}

extension RangeSet where Bound == Int64 {
    /// The number of bytes in all ranges together.
    package var byteCount: Int64 { ranges.reduce(0) { $0 + $1.length } }

    /// Returns the parts of `range` that are not in the set. Visits only ranges near `range`.
    func gaps(in range: ByteRange) -> ByteRangeSet {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        var gaps: [ByteRange] = []
        var start = range.lowerBound
        for present in ranges[low...] {
            guard present.lowerBound < range.upperBound else { break }
            if start < present.lowerBound { gaps.append(start..<present.lowerBound) }
            start = present.upperBound
        }
        if start < range.upperBound { gaps.append(start..<range.upperBound) }
        return ByteRangeSet(gaps)
    }
}
