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
