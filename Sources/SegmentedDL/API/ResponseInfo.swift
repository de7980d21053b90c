/// A server's first answer about a file, before any byte is written.
public struct ResponseInfo: Sendable, Hashable {
    /// The source of the request.
    public var source: Source
    /// The name from Content-Disposition or the URL, made harmless; `nil` if neither has one.
    public var suggestedName: String?
    /// The file's length in bytes; `nil` if the server does not state it.
    public var length: Int64?
    /// The Content-Type field, as it was sent.
    public var contentType: String?
    /// The ETag field, as it was sent.
    public var etag: String?
    /// The Last-Modified field, as it was sent.
    public var lastModified: String?

    /// Creates a response from its parts, for the tests of a program.
    public init(
        source: Source, suggestedName: String? = nil, length: Int64? = nil, contentType: String? = nil,
        etag: String? = nil, lastModified: String? = nil
    ) {
        self.source = source
        self.suggestedName = suggestedName
        self.length = length
        self.contentType = contentType
        self.etag = etag
        self.lastModified = lastModified
    }
}
