/// Encoded as an object with the piece length and the digests.
extension PieceHashes: Codable {
    private enum CodingKeys: String, CodingKey { case length, checksums }

    /// Decodes piece hashes.
    ///
    /// - Throws: `DecodingError` if a member is missing or of another type, or the errors of
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
