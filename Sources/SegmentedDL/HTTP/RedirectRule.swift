/// Decides which redirects are followed.
struct RedirectRule: Sendable {
    /// The maximum number of redirects of one request.
    var maximum: Int
    /// True to follow a redirect from https to http.
    var allowsInsecure: Bool
    /// True if a redirect that only appends a slash to the URL, by which servers denote a directory, is a
    /// failure: the listing shows a directory as a file.
    var refusesDirectories = false

    /// Returns the target of a redirect.
    ///
    /// - Parameters:
    ///   - location: The Location field (RFC 9110, section 10.2.2).
    ///   - hops: The number of redirects of the request, including this one.
    ///   - cookie: The name of a cookie that the redirects set.
    /// - Throws: `TransferFailure.redirect` or `TransferFailure.directory` if it is not followed.
    func target(of location: String, from place: Source, hops: Int, cookie: String? = nil)
        throws(TransferFailure) -> Source
    {
        guard hops <= maximum else {
            if let cookie {
                throw .redirect(
                    "was redirected more than \(maximum) times, and the server sets a cookie on the way (Set-Cookie: \(Printable.text(cookie, longest: 40))), which was returned to it; it may require a login cookie: send one with the request.",
                    remedy: .cookie)
            }
            throw .redirect("was redirected more than \(maximum) times.")
        }
        let next: Source
        do {
            next = try URLParser.parse(Self.encodingControls(location), relativeTo: place)
        } catch {
            throw .redirect("was redirected to an unusable URL: \(error.message)")
        }
        guard allowsInsecure || !Self.isInsecure(from: place, to: next) else {
            throw .redirect(
                "was redirected from https to \(next.origin), where any machine on the path can modify the file; allow that, or use another URL.",
                remedy: .insecureRedirects)
        }
        if refusesDirectories, Self.isDirectory(next, of: place) { throw .directory(next) }
        return next
    }

    /// Returns a Location with its control characters percent-encoded, as wget does, without
    /// white space around it.
    private static func encodingControls(_ location: String) -> String {
        func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f }
        guard location.utf8.contains(where: isControl) else { return location }
        let encoded = URLText.trimmed(location.utf8).flatMap {
            isControl($0) ? Array(PercentEncoding.query(bytes: [$0]).utf8) : [$0]
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func isDirectory(_ next: Source, of place: Source) -> Bool {
        // The server may encode other characters than the listing.
        next.origin == place.origin
            && URLParser.decodedBytes(next.url[...]) == URLParser.decodedBytes(place.url[...]) + [0x2f]
    }

    /// Returns true for a redirect from https to http.
    static func isInsecure(from place: Source, to next: Source) -> Bool {
        place.origin.scheme == "https" && next.origin.scheme == "http"
    }
}
