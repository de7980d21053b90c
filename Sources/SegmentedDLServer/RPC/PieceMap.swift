internal import SegmentedDL

/// A file's pieces, which clients display: aria2's `pieceLength`, `numPieces` and `bitfield`.
struct PieceMap: Sendable, Equatable {
    /// The maximum number of pieces; AriaNg displays no more.
    private static let most: Int64 = 10_240

    /// The length of each piece except the last, in bytes: 1 MiB, or more for a large file.
    let pieceLength: Int64
    /// The number of pieces; 0 while the length is unknown.
    let count: Int64

    private let length: Int64?

    init(length: Int64?) {
        self.length = length
        var pieceLength: Int64 = 1 << 20
        while let length, length / pieceLength >= Self.most { pieceLength *= 2 }
        self.pieceLength = pieceLength
        count = Self.ceiling(length ?? 0, pieceLength)
    }

    /// Returns the number of pieces for a number of bytes. Must not overflow, because a server may announce
    /// any length.
    private static func ceiling(_ bytes: Int64, _ pieceLength: Int64) -> Int64 {
        bytes <= 0 ? 0 : (bytes - 1) / pieceLength + 1
    }

    /// The complete pieces, as hexadecimal digits, the first one as the highest bit; `nil` while the length
    /// is unknown, or if no bytes exist.
    func bitfield(_ ranges: [ByteRange]) -> String? {
        guard let length, count > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int((count + 7) / 8))
        for range in ranges {
            let first = Self.ceiling(range.lowerBound, pieceLength)
            let last = range.upperBound >= length ? count : range.upperBound / pieceLength
            guard first < last else { continue }
            for piece in first..<last { bytes[Int(piece / 8)] |= 0x80 >> UInt8(piece % 8) }
        }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
