/// The cookies set by redirects on the way to a file (RFC 6265): some servers redirect until they receive one
/// back.
struct RedirectCookies: Equatable, Sendable {
    private struct Cookie: Equatable {
        var name: String
        var value: String
        /// The host that set the cookie, or the cookie's Domain attribute.
        var domain: String
        /// True if it is also sent to subdomains.
        var isForSubdomains = false
        var path: String
        var isForTLSOnly = false
    }

    /// The maximum number of cookies, more than any login needs (RFC 6265, section 6.1).
    private static let maximumCount = 50
    private static let maximumBytes = 4_096

    private var cookies: [Cookie] = []

    var isEmpty: Bool { cookies.isEmpty }

    /// Stores the cookies of a response.
    ///
    /// - Parameter now: Seconds since 1970.
    mutating func note(_ head: ResponseHead, from place: Source, now: Int64) {
        for text in head.values("set-cookie")
        where text.utf8.count <= Self.maximumBytes && HTTPHeader.isPlain(text) {
            note(text, from: place, now: now)
        }
    }

    private mutating func note(_ text: String, from place: Source, now: Int64) {
        var parts = text.split(separator: ";", omittingEmptySubsequences: false).map(Self.pair)[...]
        guard let first = parts.popFirst(), !first.name.isEmpty, let value = first.value else { return }
        var cookie = Cookie(
            name: first.name, value: value, domain: place.origin.host.lowercased(),
            path: Self.directory(of: place))
        var isExpired = false
        for part in parts {
            switch (part.name.lowercased(), part.value) {
            case ("secure", _): cookie.isForTLSOnly = true
            case ("path", let path?) where path.hasPrefix("/"): cookie.path = path
            case ("domain", let domain?) where !domain.isEmpty:
                cookie.domain = String(domain.lowercased().trimmingPrefix("."))
                cookie.isForSubdomains = true
            case ("max-age", let age?): isExpired = Int(age).map { $0 <= 0 } ?? isExpired
            case ("expires", let date?):
                isExpired = HTTPDate.seconds(date).map { $0 <= now } ?? isExpired
            default: break
            }
        }
        cookies.removeAll {
            $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path
        }
        guard !isExpired, cookies.count < Self.maximumCount,
            cookie.domain.contains(".") || !cookie.isForSubdomains,
            Self.isFor(place.origin.host, cookie)
        else { return }
        cookies.append(cookie)
    }

    /// The Cookie field of a request; `nil` if no cookie applies to its URL.
    func field(for place: Source) -> HTTPHeader? {
        let path = Self.path(of: place)
        let fitting = cookies.filter { cookie in
            Self.isFor(place.origin.host, cookie) && (!cookie.isForTLSOnly || place.origin.scheme == "https")
                && (path == cookie.path
                    || path.hasPrefix(cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/"))
        }
        guard !fitting.isEmpty else { return nil }
        return HTTPHeader("Cookie", fitting.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
    }

    private static func isFor(_ host: String, _ cookie: Cookie) -> Bool {
        let host = host.lowercased()
        // The end of an IP address is not a domain (RFC 6265, section 5.1.3).
        return host == cookie.domain
            || cookie.isForSubdomains && cookie.domain.contains(where: \.isLetter)
                && host.hasSuffix("." + cookie.domain)
    }

    private static func pair(_ text: Substring) -> (name: String, value: String?) {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (
            String(halves[0].trimmingBlanks()), halves.count > 1 ? String(halves[1].trimmingBlanks()) : nil
        )
    }

    private static func path(of place: Source) -> Substring {
        guard let scheme = place.url.firstRange(of: "://"),
            let slash = place.url[scheme.upperBound...].firstIndex(where: { "/?#".contains($0) }),
            place.url[slash] == "/"
        else { return "/" }
        return place.url[slash...].prefix { $0 != "?" && $0 != "#" }
    }

    /// The default path of a cookie (RFC 6265, section 5.1.4).
    private static func directory(of place: Source) -> String {
        let path = path(of: place)
        guard let end = path.lastIndex(of: "/"), end != path.startIndex else { return "/" }
        return String(path[..<end])
    }
}
