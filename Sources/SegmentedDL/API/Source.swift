#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One URL from which a file can be had.
///
/// The text is parsed once, by the same code that later makes the request (libcurl's URL parser), so a
/// `Source` that exists can be asked for. Spaces and non-ASCII letters are percent-encoded. A user name
/// and password are taken out of the URL and kept apart.
public struct Source: Sendable, Hashable, CustomStringConvertible {
    /// The URL to request, without credentials and fragment.
    public let url: String

    /// What identifies the server: scheme, host and port.
    package let origin: Origin

    /// The path's last part, percent-decoded; empty for a directory.
    package let lastPathComponent: String

    /// Credentials that stood in the URL.
    package let credentials: Credentials?

    /// A source from a URL's text.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the text is no absolute http or https URL.
    public init(_ text: String) throws(DownloadError) {
        self = try URLParser.parse(text, relativeTo: nil)
    }

    /// A source from a Foundation URL.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if it is no absolute http or https URL.
    public init(_ url: URL) throws(DownloadError) {
        try self.init(url.absoluteString)
    }

    package init(url: String, origin: Origin, lastPathComponent: String, credentials: Credentials?) {
        self.url = url
        self.origin = origin
        self.lastPathComponent = lastPathComponent
        self.credentials = credentials
    }

    /// Whether no user name and password stood in the URL.
    public var hasNoCredentials: Bool { credentials == nil }

    /// True if the URL has a query.
    package var hasQuery: Bool { url.utf8.contains(UInt8(ascii: "?")) }

    package var withoutCredentials: Source {
        Source(url: url, origin: origin, lastPathComponent: lastPathComponent, credentials: nil)
    }

    /// The URL without its query, which may hold a signature: fit for messages and logs.
    public var description: String {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url }
        return url[..<mark] + "?…"
    }
}

/// Scheme, host and port: credentials given for one never go to another.
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    package let scheme: String
    package let host: String
    package let port: Int
    /// Host and port.
    package let description: String

    package init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
        description = "\(host):\(port)"
    }
}
