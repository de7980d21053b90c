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
    /// The name in the URL that answered, which redirects may have led to, made safe.
    var finalName: String?
    var contentType: String?
    /// False if only a closed connection ends the body, and nothing tells that from a lost one.
    var isEndProven = true
    /// Further sources of the file that servers named.
    var linked: [Source] = []
    /// Metalink documents that servers named as its descriptions.
    var descriptions: [Source] = []

    /// True for a web page.
    var isPage: Bool { WebPage.isType(contentType) }

    /// Returns the name that a request's rule gives the file on the server's word; `nil` if the rule goes by
    /// the URL of the request.
    func servedName(for request: DownloadRequest) -> String? {
        switch request.naming {
        case .server: fileName ?? (request.source.fileName == nil ? finalName : nil)
        case .finalURL: fileName ?? finalName ?? "index.html"
        case .url: request.source.fileName == nil ? finalName : nil
        case .urlDigest, .urlMD5: nil
        }
    }
}

extension ResponseInfo {
    /// The public view of a first response.
    init(_ resource: ResourceInfo, in response: Response, of request: DownloadRequest) {
        self.init(
            source: request.source, finalSource: response.source, status: response.head.status,
            fields: response.head.allFields,
            suggestedName: resource.servedName(for: request) ?? request.source.fileName,
            length: resource.length, contentType: resource.contentType, etag: resource.validators.etag,
            lastModified: resource.validators.lastModified)
    }
}
