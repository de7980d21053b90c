import Testing

@testable import SegmentedDLServer

@Suite struct PieceMapTests {
    private static let mebibyte: Int64 = 1 << 20

    @Test("pieces of a MiB, and larger ones for a large file")
    func sizes() {
        #expect(PieceMap(length: nil).count == 0)
        #expect(PieceMap(length: 0).count == 0)
        #expect(PieceMap(length: 1).count == 1)
        #expect(PieceMap(length: Self.mebibyte + 1).count == 2)
        let large = PieceMap(length: 100 << 30)
        #expect(large.pieceLength == 16 << 20)
        #expect(large.count == 6_400)
        #expect(PieceMap(length: .max).count <= 10_240)
    }

    @Test("a piece counts when all of its bytes exist")
    func bitfield() {
        let map = PieceMap(length: 9 * Self.mebibyte + 5)
        #expect(map.bitfield([]) == "0000")
        #expect(map.bitfield([0..<Self.mebibyte]) == "8000")
        #expect(map.bitfield([1..<(2 * Self.mebibyte)]) == "4000")
        #expect(map.bitfield([0..<(Self.mebibyte - 1)]) == "0000")
        // The last piece is short.
        #expect(map.bitfield([(9 * Self.mebibyte)..<(9 * Self.mebibyte + 5)]) == "0040")
        #expect(map.bitfield([0..<(9 * Self.mebibyte + 5)]) == "ffc0")
        #expect(PieceMap(length: nil).bitfield([]) == nil)
    }
}
