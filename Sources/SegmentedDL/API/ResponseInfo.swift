/// A server's first response about a file, or its refusal.
public struct ResponseInfo: Sendable, Hashable {
    /// The source of the request.
    public var source: Source
    /// The final URL, which differs from the source's after redirects.
    public var finalSource: Source
    /// The HTTP status. 206 is as common as 200, because the first request normally contains a range.
    public var status: Int
    /// All header fields in the order received, with lower-case names.
    public var headers: [HTTPHeader]
    /// The sanitized name from Content-Disposition or the URL; `nil` if neither contains one.
    public var suggestedName: String?
    /// The file's length in bytes; `nil` if the server does not state it.
    public var length: Int64?
    /// The Content-Type field, as it was sent.
    public var contentType: String?
    /// The ETag field, as it was sent.
    public var etag: String?
    /// The Last-Modified field, as it was sent.
    public var lastModified: String?

    /// Returns the first value of a header field, by its case-insensitive name; `nil` if it was not sent.
    public func value(of field: String) -> String? {
        let name = field.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    /// Creates a response from its parts, for use in tests.
    public init(
        source: Source, finalSource: Source? = nil, status: Int = 200, headers: [HTTPHeader] = [],
        suggestedName: String? = nil, length: Int64? = nil, contentType: String? = nil,
        etag: String? = nil, lastModified: String? = nil
    ) {
        self.source = source
        self.finalSource = finalSource ?? source
        self.status = status
        self.headers = headers
        self.suggestedName = suggestedName
        self.length = length
        self.contentType = contentType
        self.etag = etag
        self.lastModified = lastModified
    }
}

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
