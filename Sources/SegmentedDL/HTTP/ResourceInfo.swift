/// The facts about the remote file in a download's first response.
struct ResourceInfo: Equatable, Sendable {
    /// Bytes; `nil` if only the end of the stream tells.
    var length: Int64?
    /// True if the server answered a range request with that range.
    var acceptsRanges: Bool
    var validators: Validators
    /// The whole file's digest by the server's word.
    var digest: ServerDigest?
    /// The name in Content-Disposition, made safe.
    var fileName: String?
    var contentType: String?
    /// False if only a closed connection ends the body, and nothing tells that from a lost one.
    var isEndProven = true
    /// Further sources of the file that servers named.
    var linked: [Source] = []
    /// Metalink documents that servers named as its descriptions.
    var descriptions: [Source] = []

    /// True for a web page.
    var isPage: Bool { WebPage.isType(contentType) }
}

extension ResponseInfo {
    /// The public view of a first response.
    init(_ resource: ResourceInfo, in response: Response, of request: DownloadRequest) {
        self.init(
            source: request.source, finalSource: response.source, status: response.head.status,
            fields: response.head.allFields,
            suggestedName: resource.fileName ?? SafeFileName.make(request.source.lastPathComponent),
            length: resource.length, contentType: resource.contentType, etag: resource.validators.etag,
            lastModified: resource.validators.lastModified)
    }
}
