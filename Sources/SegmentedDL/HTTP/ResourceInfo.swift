/// The facts about the remote file in a download's first response.
struct ResourceInfo: Equatable, Sendable {
    /// The length in bytes; `nil` if only the end of the stream shows it.
    var length: Int64?
    /// True if the server answered a range request with that range.
    var acceptsRanges: Bool
    var validators: Validators
    /// The whole file's digest, as stated by the server.
    var digest: ServerDigest?
    /// The checksum of the checksums of the parts that were uploaded, as stated by the server.
    var composite: CompositeDigest?
    /// The name in Content-Disposition, made safe.
    var fileName: String?
    /// The name in the final URL after redirects, made safe.
    var finalName: String?
    var contentType: String?
    /// False if only closing the connection ends the body, which is indistinguishable from a lost connection.
    var isEndProven = true
    /// Further sources of the file that servers linked to.
    var linked: [Source] = []
    /// Metalink documents that servers linked to as descriptions of the file.
    var descriptions: [Source] = []

    /// True for a web page.
    var isPage: Bool { WebPage.isType(contentType) }

    /// Returns the file's name by the request's rule and the server's response; `nil` if the rule uses the
    /// URL of the request.
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
        self.init(resource, response.head, from: response.source, of: request)
    }

    /// - Parameter place: The source that sent the head, after redirects.
    init(
        _ resource: ResourceInfo, _ head: ResponseHead, from place: Source, of request: DownloadRequest
    ) {
        self.init(
            source: request.source, finalSource: place, status: head.status, headers: head.allFields,
            suggestedName: resource.servedName(for: request) ?? request.source.fileName,
            length: resource.length, contentType: resource.contentType, etag: resource.validators.etag,
            lastModified: resource.validators.lastModified)
    }
}
