/// Encoded without header fields and credentials, which may be secrets: supply them again, as for a queue.
///
/// A member that is missing has its default.
extension DownloadRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case source, mirrors, followsLinks, destination, checksums, pieces, verifiesServerDigest, naming,
            expectedTypes
        case segments, order, ifExists, keepsRemoteDate, startsOver, takesOver, rate, priority, makesDirectory
    }

    /// Decodes a request.
    ///
    /// - Throws: `DecodingError` if a member is of another type or the source is missing; `DownloadError` for
    ///   a source or a checksum that is none.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func take<Value: Decodable>(_ key: CodingKeys, _ value: inout Value) throws {
            if let decoded = try values.decodeIfPresent(Value.self, forKey: key) { value = decoded }
        }
        self.init(try values.decode(Source.self, forKey: .source))
        try take(.mirrors, &mirrors)
        try take(.followsLinks, &followsLinks)
        try take(.destination, &destination)
        try take(.checksums, &checksums)
        try take(.verifiesServerDigest, &verifiesServerDigest)
        try take(.naming, &naming)
        try take(.expectedTypes, &expectedTypes)
        try take(.order, &order)
        try take(.ifExists, &ifExists)
        try take(.keepsRemoteDate, &keepsRemoteDate)
        try take(.startsOver, &startsOver)
        try take(.takesOver, &takesOver)
        try take(.priority, &priority)
        try take(.makesDirectory, &makesDirectory)
        pieces = try values.decodeIfPresent(PieceHashes.self, forKey: .pieces)
        segments = try values.decodeIfPresent(SegmentCount.self, forKey: .segments)
        rate = try values.decodeIfPresent(Int64.self, forKey: .rate)
    }

    /// Encodes the request, without header fields and credentials.
    ///
    /// - Throws: `EncodingError` for a descriptor as destination, which has no meaning outside its process.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(source, forKey: .source)
        try values.encode(mirrors, forKey: .mirrors)
        try values.encode(followsLinks, forKey: .followsLinks)
        try values.encode(destination, forKey: .destination)
        try values.encode(checksums, forKey: .checksums)
        try values.encodeIfPresent(pieces, forKey: .pieces)
        try values.encode(verifiesServerDigest, forKey: .verifiesServerDigest)
        try values.encode(naming, forKey: .naming)
        try values.encode(expectedTypes, forKey: .expectedTypes)
        try values.encodeIfPresent(segments, forKey: .segments)
        try values.encode(order, forKey: .order)
        try values.encode(ifExists, forKey: .ifExists)
        try values.encode(keepsRemoteDate, forKey: .keepsRemoteDate)
        try values.encode(startsOver, forKey: .startsOver)
        try values.encode(takesOver, forKey: .takesOver)
        try values.encodeIfPresent(rate, forKey: .rate)
        try values.encode(priority, forKey: .priority)
        try values.encode(makesDirectory, forKey: .makesDirectory)
    }
}
