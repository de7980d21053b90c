import Testing

@testable import SegmentedDL

@Suite("The source of a piece's wrong bytes")
struct PieceEvidenceTests {
    private let piece: ByteRange = 100..<200

    private func sample(_ source: Source.Index, _ range: ByteRange, _ digest: String) -> PieceEvidence.Sample
    {
        PieceEvidence.Sample(source: source, range: range, digest: digest)
    }

    @Test("the only author of a wrong piece is known at once")
    func onlyAuthor() {
        var evidence = PieceEvidence()
        let corrupt = evidence.wrong(piece, [sample(2, 100..<150, "a"), sample(2, 150..<200, "b")])
        #expect(corrupt.map(\.source) == [2])
        #expect(corrupt.map(\.reason) == ["bytes 100 to 199"])
    }

    @Test("several authors are unknown until the piece is correct; then their samples decide")
    func severalAuthors() {
        var evidence = PieceEvidence()
        let samples = [sample(0, 100..<150, "a"), sample(1, 150..<200, "b")]
        #expect(evidence.wrong(piece, samples).isEmpty)
        #expect(evidence.right(piece).map(\.source) == [0, 1])
        #expect(evidence.right(piece).isEmpty)
    }

    @Test("a piece that is wrong six times has only faulty authors")
    func again() {
        var evidence = PieceEvidence()
        let samples = [sample(1, 150..<200, "b"), sample(0, 100..<150, "a")]
        for _ in 1...5 { #expect(evidence.wrong(piece, samples).isEmpty) }
        #expect(evidence.wrong(piece, samples).map(\.source) == [0, 1])
        // Another piece is counted separately.
        #expect(evidence.wrong(200..<300, samples).isEmpty)
    }
}
