/// A URL of a file.
///
/// The text is parsed once, by the rules of the code that later sends the request (libcurl's URL parser), so
/// each `Source` can be requested. Spaces and non-ASCII letters are percent-encoded. A user name and password
/// are removed from the URL and stored separately.
public struct Source: Sendable, Hashable, CustomStringConvertible {
    /// The URL to request, without credentials and fragment.
    public let url: String

    /// The server: scheme, host and port.
    package let origin: Origin

    /// The path's last part, percent-decoded; empty for a directory.
    package let lastPathComponent: String

    /// The credentials in the URL's text; `nil` if it has none.
    package let credentials: Credentials?

    package init(url: String, origin: Origin, lastPathComponent: String, credentials: Credentials?) {
        self.url = url
        self.origin = origin
        self.lastPathComponent = lastPathComponent
        self.credentials = credentials
    }

    /// True if the URL's text had a user name or a password.
    public var hasCredentials: Bool { credentials != nil }

    /// True if the URL has a query.
    package var hasQuery: Bool { url.utf8.contains(UInt8(ascii: "?")) }

    package var withoutCredentials: Source {
        Source(url: url, origin: origin, lastPathComponent: lastPathComponent, credentials: nil)
    }

    /// The URL for messages and logs: without its query, which may hold a signature.
    public var description: String {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url }
        return url[..<mark] + "?…"
    }
}

/// Scheme, host and port of a server. Credentials given for one origin are never sent to another.
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
