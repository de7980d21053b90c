public import SystemPackage

extension DownloadRequest {
    /// Creates a request for the text of a URL.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the text is not an absolute http or https URL.
    public init(_ url: String, to destination: Destination = .directory(".")) throws(DownloadError) {
        self.init(try Source(url), to: destination)
    }
}
