/// Digests of the parts that each source wrote of wrong pieces. Once such a piece is correct, they show which
/// source sent wrong bytes.
struct PieceEvidence: Sendable {
    /// The part of a wrong piece that one source wrote.
    struct Sample: Sendable {
        var source: Source.Index
        var range: ByteRange
        /// The digest of the bytes; `nil` if they cannot be read.
        var digest: String?
    }

    /// How often a piece may fail before all of its sources are excluded.
    private static let mostFailures = 6

    private var samples: [ByteRange: [Sample]] = [:]
    private var failures: [ByteRange: Int] = [:]

    /// Records a wrong piece.
    ///
    /// - Parameter found: One sample for each range of the piece that a source wrote.
    /// - Returns: The sources to exclude as corrupt, each with the reason: a source that wrote the whole
    ///   piece, or all of several sources, but the latter only after many failures. Usually the correct bytes
    ///   identify the source earlier.
    mutating func wrong(_ piece: ByteRange, _ found: [Sample]) -> [(source: Source.Index, reason: String)] {
        samples[piece, default: []] += found
        let times = failures[piece, default: 0] + 1
        failures[piece] = times
        let authors = Set(found.map(\.source)).sorted()
        if authors.count == 1 { return authors.map { ($0, Self.describe(piece)) } }
        guard times >= Self.mostFailures else { return [] }
        return authors.map { ($0, "the same piece repeatedly") }
    }

    /// Returns and removes the samples of a piece that is now correct.
    mutating func right(_ piece: ByteRange) -> [Sample] {
        samples.removeValue(forKey: piece) ?? []
    }

    static func describe(_ range: ByteRange) -> String {
        "bytes \(range.lowerBound) to \(range.upperBound - 1)"
    }
}
