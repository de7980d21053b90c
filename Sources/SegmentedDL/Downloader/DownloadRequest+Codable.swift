internal import SystemPackage

/// Encoded without header fields and credentials, which may be secrets: supply them again after decoding.
///
/// A missing member gets its default, and a member with its default value is omitted. `version` is the
/// version of this format: a request of a later one is refused, because its settings would be lost.
extension DownloadRequest: Codable {
    private static let version = 1

    private enum CodingKeys: String, CodingKey {
        case version, source, mirrors, followsLinks, destination, checksums, checksumOrigin, pieces
        case verifiesServerDigest, proofPolicy, naming, expectedTypes, segments, order, ifExists, ifEncoded
        case keepsRemoteDate, startsOver, takesOver, rate, tries, priority, makesDirectory, expectedLength,
            maximumLength
    }

    /// Decodes a request.
    ///
    /// - Throws: `DecodingError` if a member is of the wrong type, the source is missing, or a later version
    ///   encoded it; `DownloadError` for an invalid source or checksum.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let destination = try values.decodeIfPresent(Destination.self, forKey: .destination)
        self.init(try values.decode(Source.self, forKey: .source), to: destination ?? .directory("."))
        try decodeSettings(from: decoder)
    }

    /// Encodes the request, without header fields and credentials.
    ///
    /// - Throws: `EncodingError` for a descriptor as destination, which has no meaning outside its process.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(source, forKey: .source)
        try values.encode(destination, forKey: .destination)
        try encodeSettings(to: encoder)
    }

    /// Decodes all members but the source and the destination.
    ///
    /// - Throws: The errors of `init(from:)`.
    package mutating func decodeSettings(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let version = try values.decodeIfPresent(Int.self, forKey: .version) ?? Self.version
        guard version <= Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: values,
                debugDescription: "The request has format \(version), which was written by a later version.")
        }
        func decode<Value: Decodable>(_ key: CodingKeys, _ value: inout Value) throws {
            if let decoded = try values.decodeIfPresent(Value.self, forKey: key) { value = decoded }
        }
        try decode(.mirrors, &mirrors)
        try decode(.followsLinks, &followsLinks)
        try decode(.checksums, &checksums)
        try decode(.checksumOrigin, &checksumOrigin)
        try decode(.pieces, &pieces)
        try decode(.verifiesServerDigest, &verifiesServerDigest)
        try decode(.proofPolicy, &proofPolicy)
        try decode(.naming, &naming)
        try decode(.expectedTypes, &expectedTypes)
        try decode(.segments, &segments)
        try decode(.order, &order)
        try decode(.ifExists, &ifExists)
        try decode(.ifEncoded, &ifEncoded)
        try decode(.keepsRemoteDate, &keepsRemoteDate)
        try decode(.startsOver, &startsOver)
        try decode(.takesOver, &takesOver)
        try decode(.rate, &rate)
        try decode(.tries, &tries)
        try decode(.priority, &priority)
        try decode(.makesDirectory, &makesDirectory)
        try decode(.expectedLength, &expectedLength)
        try decode(.maximumLength, &maximumLength)
    }

    /// Encodes all members but the source and the destination.
    package func encodeSettings(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        let plain = DownloadRequest(source, to: destination)
        func encode<Value: Encodable & Equatable>(
            _ key: CodingKeys, _ setting: KeyPath<DownloadRequest, Value>
        ) throws {
            guard self[keyPath: setting] != plain[keyPath: setting] else { return }
            try values.encode(self[keyPath: setting], forKey: key)
        }
        try values.encode(Self.version, forKey: .version)
        // Version 0.2.0 requires these three in its queues.
        try values.encode(verifiesServerDigest, forKey: .verifiesServerDigest)
        try values.encode(naming, forKey: .naming)
        try values.encode(ifExists, forKey: .ifExists)
        try encode(.mirrors, \.mirrors)
        try encode(.followsLinks, \.followsLinks)
        try encode(.checksums, \.checksums)
        try encode(.checksumOrigin, \.checksumOrigin)
        try encode(.pieces, \.pieces)
        try encode(.proofPolicy, \.proofPolicy)
        try encode(.expectedTypes, \.expectedTypes)
        try encode(.segments, \.segments)
        try encode(.order, \.order)
        try encode(.ifEncoded, \.ifEncoded)
        try encode(.keepsRemoteDate, \.keepsRemoteDate)
        try encode(.startsOver, \.startsOver)
        try encode(.takesOver, \.takesOver)
        try encode(.rate, \.rate)
        try encode(.tries, \.tries)
        try encode(.priority, \.priority)
        try encode(.makesDirectory, \.makesDirectory)
        try encode(.expectedLength, \.expectedLength)
        try encode(.maximumLength, \.maximumLength)
    }
}
