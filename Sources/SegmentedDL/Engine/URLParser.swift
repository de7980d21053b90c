internal import CSegCurl

/// Parses URLs like libcurl (CURLU, `curl_url(3)`), so that the URL that is checked is the URL that is
/// requested.
package enum URLParser {
    /// Parses an absolute URL, or one relative to `base`, as in a Location header.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    package static func parse(_ text: String, relativeTo base: Source?) throws(DownloadError) -> Source {
        if let simple = SimpleURL.parse(text, relativeTo: base) { return simple }
        return try parseWithLibcurl(text, relativeTo: base)
    }

    /// Parses any URL with libcurl, including simple ones.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    package static func parseWithLibcurl(_ text: String, relativeTo base: Source?) throws(DownloadError)
        -> Source
    {
        let prepared = URLText(text, isLink: base != nil)
        if let base, prepared.text.isEmpty {
            // An empty link, or a fragment alone, is the base with its query (RFC 3986, section 5.2.2);
            // libcurl returns its directory.
            return Source(
                url: base.url, origin: base.origin, lastPathComponent: base.lastPathComponent,
                credentials: nil)
        }
        guard !prepared.hasNoHost else {
            let shown = redacted(text)
            throw DownloadError(.invalidURL, "'\(shown)' has no host.", url: shown)
        }
        var source = try parsed(prepared.text, relativeTo: base, original: text)
        // libcurl reads `http:/host/x` as `http://host/x`, so only its result shows where the path begins.
        let settled = URLText(source.url, isLink: false).text
        if settled != source.url {
            let again = try parsed(settled, relativeTo: nil, original: text)
            source = Source(
                url: again.url, origin: again.origin, lastPathComponent: again.lastPathComponent,
                credentials: source.credentials)
        }
        guard prepared.text != text, let former = try? parsed(text, relativeTo: base, original: text).url,
            former != source.url
        else { return source }
        return Source(
            url: source.url, origin: source.origin, lastPathComponent: source.lastPathComponent,
            credentials: source.credentials, formerURL: former)
    }

    private static func parsed(
        _ text: String, relativeTo base: Source?, original: String
    ) throws(DownloadError) -> Source {
        // Only errors show the URL. They show it as it was written, because the dropped parts distinguish a
        // secret from a host.
        lazy var shown = redacted(original)
        guard let handle = curl_url() else {
            throw DownloadError(.invalidURL, "Out of memory while reading the URL '\(shown)'.")
        }
        defer { curl_url_cleanup(handle) }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            throw DownloadError(.invalidURL, "The URL '\(shown)' contains a control character; remove it.")
        }
        let flags = UInt32(CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME)
        if let base {
            curl_url_set(handle, CURLUPART_URL, base.url, flags)
        }
        var result = curl_url_set(handle, CURLUPART_URL, text, flags)
        // libcurl decodes a percent-encoded host, but recognizes an IPv4 address only when it parses the
        // result again.
        if result == CURLUE_OK, text.utf8.contains(UInt8(ascii: "%")) {
            result = curl_url_set(handle, CURLUPART_URL, part(handle, CURLUPART_URL), flags)
        }
        guard result == CURLUE_OK else {
            if let scheme = schemeWithoutHost(original) { throw unsupported(scheme, "\(scheme):…") }
            if let scheme = foreignScheme(text) { throw unsupported(scheme, shown) }
            throw malformed(shown, result, hasLogin: original.contains("@"))
        }
        let scheme = part(handle, CURLUPART_SCHEME)
        guard scheme == "http" || scheme == "https" else {
            guard scheme != "s3" else {
                throw DownloadError(
                    .invalidURL,
                    "'\(shown)' is an object in S3, which is not supported here; give its https URL.",
                    url: shown)
            }
            throw unsupported(scheme, shown)
        }
        var host = lowered(part(handle, CURLUPART_HOST))
        guard !host.isEmpty else {
            throw DownloadError(.invalidURL, "'\(shown)' has no host.", url: shown)
        }
        // libcurl accepts a percent-encoded DEL, and then rejects its own URL.
        guard !host.unicodeScalars.contains(where: \.isControl) else {
            throw DownloadError(
                .invalidURL, "The host in '\(shown)' contains a control character.", url: shown)
        }
        // libcurl decodes the host again each time that it parses its own URL.
        guard !host.utf8.contains(UInt8(ascii: "%")) else {
            throw DownloadError(.invalidURL, "The host in '\(shown)' contains a percent sign.", url: shown)
        }
        if HostName.isInternational(host) {
            host = try replaceHost(host, of: handle, flags, shown)
        }
        var (user, password) = ("", "")
        // Few URLs contain an @ or #. A percent-encoded character may decode to one.
        if text.utf8.contains(where: { "@#%".utf8.contains($0) }) {
            user = decoded(part(handle, CURLUPART_USER))
            password = decoded(part(handle, CURLUPART_PASSWORD))
            guard !(user + password).utf8.contains(0) else {
                throw DownloadError(
                    .invalidURL, "The login in '\(shown)' contains a NUL character; remove it.", url: shown)
            }
            for secret in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT] {
                curl_url_set(handle, secret, nil, 0)
            }
        }
        let path = part(handle, CURLUPART_PATH)
        let port = Int(part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))) ?? 0
        return Source(
            // libcurl drops an empty query, which results in a different URL.
            url: part(handle, CURLUPART_URL) + (hasEmptyQuery(text) ? "?" : ""),
            origin: Origin(scheme: scheme, host: host, port: port),
            lastPathComponent: name(lastPart(of: path)),
            credentials: user.isEmpty && password.isEmpty ? nil : Credentials(user: user, password: password))
    }

    private static func unsupported(_ scheme: String, _ shown: String) -> DownloadError {
        DownloadError(
            .invalidURL,
            "'\(shown)' has the scheme '\(scheme)', which is not supported; http and https are.", url: shown
        ).remedied(by: .bucket)
    }

    /// Schemes of links in pages and documents that have no host. Any other word before a colon may be a host
    /// with a port, or a user with a password.
    private static let schemesWithoutHost: Set = [
        "about", "blob", "cid", "data", "javascript", "mailto", "mid", "news", "sms", "tel", "urn",
        "view-source",
    ]

    private static func schemeWithoutHost(_ text: String) -> String? {
        guard let colon = text.firstIndex(of: ":"), BareAddress.url(text) == nil else { return nil }
        let scheme = text[..<colon].lowercased()
        return schemesWithoutHost.contains(scheme) ? scheme : nil
    }

    /// Returns the scheme of a URL that need not have the form of http URLs, such as `thunder://…=`; `nil` for
    /// those that other parts of this library read.
    private static func foreignScheme(_ text: String) -> String? {
        let (scheme, _) = parted(text)
        let name = String(scheme.dropLast(3)).lowercased()
        return name.isEmpty || ["http", "https", "s3", "hf", "oci"].contains(name) ? nil : name
    }

    /// Replaces a host with characters outside ASCII with its ASCII form, which libcurl then parses again,
    /// because it may be an IPv4 address in full-width digits.
    private static func replaceHost(
        _ host: String, of handle: OpaquePointer, _ flags: UInt32, _ shown: String
    ) throws(DownloadError) -> String {
        let ascii: String
        do {
            ascii = try HostName.ascii(host)
        } catch {
            throw DownloadError(
                .invalidURL,
                "The host in '\(shown)' has no ASCII form (\(error.reason)); write its name in Punycode (xn--…).",
                url: shown)
        }
        var result = curl_url_set(handle, CURLUPART_HOST, ascii, 0)
        if result == CURLUE_OK {
            result = curl_url_set(handle, CURLUPART_URL, part(handle, CURLUPART_URL), flags)
        }
        guard result == CURLUE_OK else { throw malformed(shown, result, hasLogin: false) }
        return lowered(part(handle, CURLUPART_HOST))
    }

    private static func hasEmptyQuery(_ text: String) -> Bool {
        let place = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        return place.last == UInt8(ascii: "?") && !place.dropLast().contains(UInt8(ascii: "?"))
    }

    private static func lastPart(of path: String) -> Substring {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path[...] }
        return path[path.utf8.index(after: slash)...]
    }

    private static func lowered(_ host: String) -> String {
        host.utf8.contains { $0 >= 0x80 || (0x41...0x5a).contains($0) } ? host.lowercased() : host
    }

    private static func part(_ handle: OpaquePointer, _ what: CURLUPart, _ flags: UInt32 = 0) -> String {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, what, &text, flags) == CURLUE_OK, let text else { return "" }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// - Parameter hasLogin: True if the URL may have a login, which is not shown and may be the fault.
    private static func malformed(_ shown: String, _ result: CURLUcode, hasLogin: Bool) -> DownloadError {
        if shown.lowercased().hasPrefix("magnet:") {
            return DownloadError(
                .invalidURL, "'\(shown)' is a link to a torrent; use another program for torrents.",
                url: shown)
        }
        if let first = shown.first, "\"'`<\u{201c}\u{201e}\u{2018}\u{ab}".contains(first) {
            return DownloadError(
                .invalidURL, "'\(shown)' is not a URL; remove the quotes around it.", url: shown)
        }
        if !shown.contains("://") {
            let full = BareAddress.url(shown) ?? "https://host/path"
            return DownloadError(
                .invalidURL, "'\(shown)' is not a full URL; write it with its scheme, as in \(full).",
                url: shown)
        }
        let reason = String(cString: curl_url_strerror(result))
        let login =
            hasLogin
            ? " In a login, percent-encode slashes, question marks, number signs and at signs." : ""
        return DownloadError(.invalidURL, "'\(shown)' is not a URL: \(reason).\(login)", url: shown)
    }

    /// Percent-decodes a part of a path as UTF-8. Control characters and bytes that are not UTF-8 keep their
    /// escapes, so that names in other encodings remain distinct.
    static func name(_ part: Substring) -> String {
        guard part.utf8.contains(UInt8(ascii: "%")) else { return String(part) }
        return PercentEncoding.text(decodedBytes(part)) { $0.properties.generalCategory == .control }
    }

    /// Percent-decodes the text as UTF-8; bytes that are not UTF-8 become U+FFFD.
    package static func decoded(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return String(decoding: decodedBytes(text), as: UTF8.self)
    }

    package static func decodedBytes(_ text: some StringProtocol) -> [UInt8] {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, rest.prefix(2).allSatisfy(isHexDigit),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                rest.removeFirst(2)
                bytes.append(value)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        Character(UnicodeScalar(byte)).isHexDigit
    }

    /// Returns the text without possible secrets: user information and query. The text may not be a URL, so
    /// everything before an @ is treated as a secret.
    ///
    /// It works on Unicode scalars, because a combining mark after an @ forms a different `Character` with
    /// it.
    package static func redacted(_ text: String) -> String {
        let (scheme, rest) = parted(text)
        let start = rest.lastIndex(of: "@").map { rest.index(after: $0) } ?? rest.startIndex
        let shown = rest[start...].prefix { $0 != "?" && $0 != "#" }
        let printable = (Array(scheme) + shown).map { scalar -> Character in
            scalar.isControl ? "·" : Character(scalar)
        }
        return String(printable) + (shown.endIndex < rest.endIndex ? "?…" : "")
    }

    /// Splits the text into the leading `scheme://`, if any, and the rest. A later `://` may belong to a
    /// query.
    private static func parted(_ text: String) -> (Substring.UnicodeScalarView, Substring.UnicodeScalarView) {
        let scalars = text.unicodeScalars[...]
        let rest = scalars.drop { isLetterOrDigit($0) || $0 == "+" || $0 == "-" || $0 == "." }
        guard rest.starts(with: "://".unicodeScalars) else { return (scalars.prefix(0), scalars) }
        let end = rest.index(rest.startIndex, offsetBy: 3)
        return (scalars[..<end], scalars[end...])
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }
}
