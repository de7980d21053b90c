/// Contiguous bytes of a part file, with their fingerprint when they were written.
package struct Extent: Equatable, Sendable {
    package var range: ByteRange
    package var fingerprint: UInt64

    /// The length in bytes at whose multiples extents end. Short, because a wrong byte invalidates its whole
    /// extent, but long enough that a manifest has at most a few thousand of them.
    static func length(total: Int64) -> Int64 {
        var length: Int64 = 4 << 20
        while length < total / 4096 { length *= 2 }
        return length
    }
}

/// The extents of a part file, in order, at most one for each offset. They may overlap where a connection has
/// written bytes a second time.
package struct ExtentList: Equatable, Sendable {
    package private(set) var extents: [Extent] = []

    package init(_ extents: [Extent] = []) {
        for extent in extents { insert(extent) }
    }

    /// The bytes that have fingerprints.
    var covered: ByteRangeSet {
        var set = ByteRangeSet()
        for extent in extents { set.insert(contentsOf: extent.range) }
        return set
    }

    /// Adds an extent, replacing one with the same first byte.
    mutating func insert(_ extent: Extent) {
        let index = index(of: extent.range.lowerBound)
        if index < extents.count, extents[index].range.lowerBound == extent.range.lowerBound {
            extents[index] = extent
        } else {
            extents.insert(extent, at: index)
        }
    }

    mutating func insert(contentsOf list: ExtentList) {
        for extent in list.extents { insert(extent) }
    }

    /// Removes the extents that overlap this range.
    mutating func remove(overlapping range: ByteRange) {
        extents.removeAll { $0.range.overlaps(range) }
    }

    /// Returns the extents that an earlier list lacks.
    func added(to earlier: ExtentList) -> [Extent] {
        var index = 0
        return extents.filter { extent in
            while index < earlier.extents.count,
                earlier.extents[index].range.lowerBound < extent.range.lowerBound
            {
                index += 1
            }
            return index == earlier.extents.count || earlier.extents[index] != extent
        }
    }

    /// Returns the index of the first extent that does not begin before `offset`.
    private func index(of offset: Int64) -> Int {
        var (low, high) = (0, extents.count)
        while low < high {
            let middle = (low + high) / 2
            if extents[middle].range.lowerBound < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Encoded as one string, because thousands of JSON values would cost more than the fingerprints.
extension ExtentList: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        for word in try container.decode(String.self).split(separator: " ") {
            guard let extent = Extent(String(word)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "'\(word)' is not an extent.")
            }
            insert(extent)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(extents.map(\.text).joined(separator: " "))
    }
}

extension Extent {
    /// The first byte, the offset after the last, and the fingerprint in hexadecimal.
    var text: String {
        "\(range.lowerBound)-\(range.upperBound):\(String(fingerprint, radix: 16))"
    }

    init?(_ text: String) {
        let parts = text.split(whereSeparator: { $0 == "-" || $0 == ":" })
        guard parts.count == 3, let lower = Int64(parts[0]), let upper = Int64(parts[1]), lower < upper,
            let fingerprint = UInt64(parts[2], radix: 16)
        else { return nil }
        range = lower..<upper
        self.fingerprint = fingerprint
        // Only one spelling is valid.
        guard self.text == text else { return nil }
    }
}
