/// Digests of the bytes that sources wrote of wrong pieces. Once such a piece is right, they tell which
/// source sent something else.
struct PieceEvidence: Sendable {
    /// The bytes that one source wrote of a piece that was wrong.
    struct Sample: Sendable {
        var source: Source.Index
        var range: ByteRange
        /// The digest of the bytes; `nil` if they could not be read.
        var digest: String?
    }

    /// How many times a piece may be wrong before all of its sources are excluded.
    private static let mostFailures = 6

    private var samples: [ByteRange: [Sample]] = [:]
    private var failures: [ByteRange: Int] = [:]

    /// Records a wrong piece.
    ///
    /// - Parameter found: One sample for each range that a source wrote of it.
    /// - Returns: The sources that are corrupt beyond doubt or beyond patience, each with the reason: a
    ///   source that wrote all of the piece; of several sources all, but only after many failures. Before
    ///   that the right bytes tell which one it was.
    mutating func wrong(_ piece: ByteRange, _ found: [Sample]) -> [(source: Source.Index, reason: String)] {
        samples[piece, default: []] += found
        let times = failures[piece, default: 0] + 1
        failures[piece] = times
        let authors = Set(found.map(\.source)).sorted()
        if authors.count == 1 { return authors.map { ($0, Self.describe(piece)) } }
        guard times >= Self.mostFailures else { return [] }
        return authors.map { ($0, "the same piece again and again") }
    }

    /// Returns the samples of a piece that is right now, and forgets them.
    mutating func right(_ piece: ByteRange) -> [Sample] {
        samples.removeValue(forKey: piece) ?? []
    }

    static func describe(_ range: ByteRange) -> String {
        "bytes \(range.lowerBound) to \(range.upperBound - 1)"
    }
}
