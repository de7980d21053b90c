/// Encoded with its header fields as pairs of name and value.
extension ResponseInfo: Codable {
    private enum CodingKeys: String, CodingKey {
        case source, finalSource, status
        case headers = "fields"
        case suggestedName, length, contentType, etag, lastModified
    }

    /// Decodes a response.
    ///
    /// - Throws: `DecodingError`; `DownloadError` for an invalid source.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let source = try values.decode(Source.self, forKey: .source)
        self.init(
            source: source, finalSource: try values.decodeIfPresent(Source.self, forKey: .finalSource),
            status: try values.decode(Int.self, forKey: .status),
            headers: try (values.decodeIfPresent([[String]].self, forKey: .headers) ?? []).map { pair in
                guard pair.count == 2 else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .headers, in: values,
                        debugDescription: "A header field must have a name and a value.")
                }
                return HTTPHeader(pair[0], pair[1])
            },
            suggestedName: try values.decodeIfPresent(String.self, forKey: .suggestedName),
            length: try values.decodeIfPresent(Int64.self, forKey: .length),
            contentType: try values.decodeIfPresent(String.self, forKey: .contentType),
            etag: try values.decodeIfPresent(String.self, forKey: .etag),
            lastModified: try values.decodeIfPresent(String.self, forKey: .lastModified))
    }

    /// Encodes the response.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(source, forKey: .source)
        if finalSource != source { try values.encode(finalSource, forKey: .finalSource) }
        try values.encode(status, forKey: .status)
        if !headers.isEmpty { try values.encode(headers.map { [$0.name, $0.value] }, forKey: .headers) }
        try values.encodeIfPresent(suggestedName, forKey: .suggestedName)
        try values.encodeIfPresent(length, forKey: .length)
        try values.encodeIfPresent(contentType, forKey: .contentType)
        try values.encodeIfPresent(etag, forKey: .etag)
        try values.encodeIfPresent(lastModified, forKey: .lastModified)
    }
}
