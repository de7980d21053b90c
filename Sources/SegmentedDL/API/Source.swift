/// A URL of a file.
///
/// The text is parsed once, by libcurl's URL parser, which also parses it for the request, so each `Source`
/// can be requested. Surrounding white space is removed, and characters that are invalid in URLs are
/// percent-encoded, as browsers do with pasted text; escapes are sent unchanged. A user name and password are
/// removed from the URL and stored separately.
///
/// Two sources are equal if their URLs are equivalent by RFC 3986 (sections 6.2.2 and 6.2.3): the case of the
/// host and of escapes, unnecessary escapes, dot segments and the default port make no difference.
public struct Source: Sendable, CustomStringConvertible {
    /// The URL to request, without credentials and fragment.
    public let url: String

    /// The normalized spelling of all equivalent URLs. It identifies files, and is never requested.
    package let identity: String

    /// The URL that versions before 0.2.0 derived from the same text, if it differs. Used to find the data
    /// they stored.
    let formerURL: String?

    /// The server: scheme, host and port.
    package let origin: Origin

    /// The last component of the path, percent-decoded; empty for a directory.
    package let lastPathComponent: String

    /// The credentials in the URL's text; `nil` if it has none.
    package let credentials: Credentials?

    package init(
        url: String, origin: Origin, lastPathComponent: String, credentials: Credentials?,
        formerURL: String? = nil
    ) {
        self.url = url
        self.origin = origin
        identity = origin.isOfLocation ? url : URLIdentity.text(of: url, origin)
        self.formerURL = formerURL
        self.lastPathComponent = lastPathComponent
        self.credentials = credentials
    }

    /// Creates the source of a file in a hub or store. Its `url` is the location's text, and cannot be
    /// requested: see `location`.
    package init(_ location: FileLocation) {
        let text = location.text
        let name = location.path.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
        self.init(
            url: text, origin: location.origin, lastPathComponent: String(Substring(name)), credentials: nil)
    }

    /// The location that a download has to resolve; `nil` for a URL.
    package var location: FileLocation? { origin.isOfLocation ? try? FileLocation(url) : nil }

    /// True if the URL's text contained a user name or a password.
    public var hasCredentials: Bool { credentials != nil }

    /// True if the URL has a query.
    package var hasQuery: Bool { url.utf8.contains(UInt8(ascii: "?")) }

    package var withoutCredentials: Source {
        with(nil)
    }

    /// Returns the source with other credentials.
    package func with(_ credentials: Credentials?) -> Source {
        Source(
            url: url, origin: origin, lastPathComponent: lastPathComponent, credentials: credentials,
            formerURL: formerURL)
    }

    /// The URL for messages and logs: without the query, which may contain a signature.
    public var description: String {
        if origin.isOfLocation { return Printable.text(url) }
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url }
        return url[..<mark] + "?…"
    }
}

extension Source: Hashable {
    /// Compares the normalized URLs, and the credentials.
    public static func == (one: Source, other: Source) -> Bool {
        one.identity == other.identity && one.credentials == other.credentials
    }

    /// Hashes the normalized URL.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}

/// Scheme, host and port of a server. Credentials for one origin are never sent to another.
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

    /// True for a loopback address: `localhost`, `[::1]`, or an address in 127.0.0.0/8 (RFC 6890).
    package var isOfThisMachine: Bool {
        if ["localhost", "[::1]"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// True for a location in a hub or store instead of a server.
    var isOfLocation: Bool { !scheme.utf8.starts(with: "http".utf8) }

    /// True if the port is the scheme's default.
    package var hasUsualPort: Bool { port == (scheme == "https" ? 443 : 80) }
}
