/// Digests of the bytes that sources wrote of wrong pieces. Once such a piece is correct, they show which
/// source sent other bytes.
struct PieceEvidence: Sendable {
    /// The bytes that one source wrote of a wrong piece.
    struct Sample: Sendable {
        var source: Source.Index
        var range: ByteRange
        /// The digest of the bytes; `nil` if they are unreadable.
        var digest: String?
    }

    /// The number of failures of a piece after which all of its sources are excluded.
    private static let mostFailures = 6

    private var samples: [ByteRange: [Sample]] = [:]
    private var failures: [ByteRange: Int] = [:]

    /// Records a wrong piece.
    ///
    /// - Parameter found: One sample for each range of it that a source wrote.
    /// - Returns: The sources to exclude as corrupt, each with the reason: a source that wrote the whole
    ///   piece; or all of several sources, but only after many failures. Before that the correct bytes show
    ///   which source it was.
    mutating func wrong(_ piece: ByteRange, _ found: [Sample]) -> [(source: Source.Index, reason: String)] {
        samples[piece, default: []] += found
        let times = failures[piece, default: 0] + 1
        failures[piece] = times
        let authors = Set(found.map(\.source)).sorted()
        if authors.count == 1 { return authors.map { ($0, Self.describe(piece)) } }
        guard times >= Self.mostFailures else { return [] }
        return authors.map { ($0, "the same piece again and again") }
    }

    /// Returns and removes the samples of a piece that is now correct.
    mutating func right(_ piece: ByteRange) -> [Sample] {
        samples.removeValue(forKey: piece) ?? []
    }

    static func describe(_ range: ByteRange) -> String {
        "bytes \(range.lowerBound) to \(range.upperBound - 1)"
    }
}
