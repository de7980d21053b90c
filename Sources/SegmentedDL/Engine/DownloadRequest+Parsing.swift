#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DownloadRequest {
    /// Creates a request from the text of a URL.
    ///
    /// - Parameters:
    ///   - url: The text.
    ///   - destination: The destination of the file.
    ///   - headers: Header fields for the URL's host.
    /// - Throws: `DownloadError` with code `invalidURL` if the text is not an absolute http or https URL.
    public init(
        _ url: String, to destination: Destination, headers: [HTTPHeader] = []
    ) throws(DownloadError) {
        self.init(try Source(url), to: destination)
        self.headers = headers
    }

    /// Creates a request from a Foundation URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - destination: The destination of the file.
    ///   - headers: Header fields for the URL's host.
    /// - Throws: `DownloadError` with code `invalidURL` if it is not an absolute http or https URL.
    public init(
        _ url: URL, to destination: Destination, headers: [HTTPHeader] = []
    ) throws(DownloadError) {
        self.init(try Source(url), to: destination)
        self.headers = headers
    }
}
