/// Digests of a file's pieces of equal length (RFC 5854, section 4.1.3). They locate wrong bytes.
public struct PieceHashes: Sendable, Hashable {
    /// The algorithm of all digests.
    public let algorithm: Checksum.Algorithm

    /// The length of each piece except the last, in bytes; 1 or more.
    public let length: Int64

    /// The concatenated digests, `algorithm.length` bytes each.
    package let digests: [UInt8]

    /// Creates piece hashes from digests in the file's order.
    ///
    /// - Parameters:
    ///   - length: The length of each piece except the last, in bytes; 1 or more.
    ///   - checksums: The digest of each piece, all of one algorithm; at least one.
    /// - Throws: `DownloadError` with code `invalidSetting` if the length is less than 1, the list is empty,
    ///   or the algorithms differ.
    public init(length: Int64, _ checksums: [Checksum]) throws(DownloadError) {
        guard length >= 1, let algorithm = checksums.first?.algorithm,
            checksums.allSatisfy({ $0.algorithm == algorithm })
        else {
            throw DownloadError(
                .invalidSetting, "Pieces must have a length of 1 byte or more, and digests of one algorithm.")
        }
        self.init(algorithm, length: length, digests: checksums.flatMap(\.bytes))
    }

    package init(_ algorithm: Checksum.Algorithm, length: Int64, digests: [UInt8]) {
        self.algorithm = algorithm
        self.length = length
        self.digests = digests
    }

    /// The number of pieces.
    public var count: Int { digests.count / algorithm.length }

    /// The digest of one piece.
    ///
    /// - Parameter index: The piece's index, at least 0 and less than `count`.
    public subscript(index: Int) -> Checksum {
        let start = index * algorithm.length
        return Checksum(algorithm, digest: Array(digests[start..<(start + algorithm.length)]))
    }

    /// Returns the number of pieces in a file of `size` bytes.
    func expectedCount(size: Int64) -> Int64 { size / length + (size % length == 0 ? 0 : 1) }
}

extension Checksum {
    /// The digest's bytes.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(algorithm.length)
        var high: UInt8?
        for digit in hexadecimal.utf8 {
            let value =
                digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}

/// Encoded as an object with the piece length and the digests.
extension PieceHashes: Codable {
    private enum CodingKeys: String, CodingKey { case length, checksums }

    /// Decodes piece hashes.
    ///
    /// - Throws: `DecodingError` if a member is missing or of the wrong type, or the errors of
    ///   ``PieceHashes/init(length:_:)``.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            length: values.decode(Int64.self, forKey: .length),
            values.decode([Checksum].self, forKey: .checksums))
    }

    /// Encodes the length, and each digest as `ALGO=HEX`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(length, forKey: .length)
        try values.encode((0..<count).map { self[$0] }, forKey: .checksums)
    }
}
