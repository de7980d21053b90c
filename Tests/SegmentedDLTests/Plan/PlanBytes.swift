import Testing

@testable import SegmentedDL

extension SegmentPlan {
    /// The assigned but unwritten bytes of each segment.
    var assignedRanges: [ByteRangeSet] {
        segments.values.map { ByteRangeSet($0.start..<$0.end).subtracting(written) }
    }

    /// True if each byte of the file is in exactly one state: the byte counts of the three states add up to
    /// the file, and together they cover it, so none can overlap.
    var countsEachByteOnce: Bool {
        var all = written
        var sum = written.byteCount
        for range in free {
            all.insert(contentsOf: range)
            sum += range.length
        }
        for set in assignedRanges {
            all.formUnion(set)
            sum += set.byteCount
        }
        guard let total else { return false }
        return sum == total && all == ByteRangeSet(0..<total)
    }
}

/// `#require` does not accept a mutating call: these make it first.
extension SegmentPlan {
    mutating func nextSegment(now: Double) throws -> Segment {
        let segment = next(now: now)
        return try #require(segment)
    }

    mutating func segment(at offset: Int64, bodyEnd: Int64? = nil, now: Double) throws -> Segment {
        let segment = assign(at: offset, bodyEnd: bodyEnd, now: now)
        return try #require(segment)
    }
}
