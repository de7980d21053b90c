/// What the first response said about the remote file.
struct ResourceInfo: Equatable, Sendable {
    /// Bytes; `nil` if only the end of the stream will tell.
    var length: Int64?
    /// Whether the server answered a range request with that range.
    var acceptsRanges: Bool
    var validators: Validators
    /// The digest that the server says the whole file has.
    var digest: ServerDigest?
    /// The name that Content-Disposition gives, made safe.
    var fileName: String?
    var contentType: String?
    /// Further sources of the file that servers named.
    var linked: [Source] = []
    /// Metalink documents that servers named as its descriptions.
    var descriptions: [Source] = []
}
