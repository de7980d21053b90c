#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Source {
    /// Creates a source from the text of a URL.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the text is not an absolute http or https URL.
    public init(_ text: String) throws(DownloadError) {
        self = try URLParser.parse(text, relativeTo: nil)
    }

    /// Creates a source from a Foundation URL.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if it is not an absolute http or https URL.
    public init(_ url: URL) throws(DownloadError) {
        try self.init(url.absoluteString)
    }
}
