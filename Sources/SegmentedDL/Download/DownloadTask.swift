/// A download as other parts of this package start it: a caller's request, with options that no caller has.
struct DownloadTask: Sendable {
    var request: DownloadRequest

    /// A mirror's terms; `nil` for any other download.
    var revalidation: Revalidation?

    /// The files of an earlier run; `nil` for those that follow from the request and the configuration.
    var paths: DownloadPaths?

    init(_ request: DownloadRequest, revalidation: Revalidation? = nil, paths: DownloadPaths? = nil) {
        self.request = request
        self.revalidation = revalidation
        self.paths = paths
    }
}
