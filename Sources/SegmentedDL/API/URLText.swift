/// The text of a URL, corrected so that it can be sent, as browsers do with pasted text (WHATWG URL).
///
/// libcurl encodes spaces and non-ASCII letters, and leaves everything else to its caller.
struct URLText: Equatable {
    /// The text to parse.
    let text: String
    /// True if the host is empty: `http:///file`.
    let hasNoHost: Bool

    /// - Parameter isLink: True for a link or a Location field, which may be relative to another URL.
    init(_ original: String, isLink: Bool) {
        var bytes = isLink ? Self.trimmed(original.utf8) : Self.visible(original)
        let scheme = Self.scheme(of: bytes)
        guard scheme.map(Self.isHTTP) ?? isLink, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            // Leave it unchanged: the parser rejects it.
            (text, hasNoHost) = (String(decoding: bytes, as: UTF8.self), false)
            return
        }
        if !isLink { Self.turnBackslashes(&bytes) }
        if let scheme { Self.dropThirdSlash(&bytes, behind: scheme.endIndex + 1) }
        var rest = bytes[(scheme.map { $0.endIndex + 1 } ?? 0)...]
        var authority = rest.prefix(0)
        if rest.starts(with: "//".utf8) {
            authority = rest.prefix(2) + rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
            rest = rest[authority.endIndex...]
        }
        hasNoHost = authority.count == 2
        let path = rest.prefix { !"?#".utf8.contains($0) }
        let query = rest[path.endIndex...].prefix { $0 != UInt8(ascii: "#") }
        var made = Array(bytes[..<authority.startIndex])
        made += isLink ? Array(authority) : Self.withOneAt(authority)
        made += Self.encoded(Self.plainDots(path), "\"<>`{}|^\\".utf8)
        // Browsers encode the apostrophe in queries only.
        made += Self.encoded(query, "\"<>`{}|^\\'".utf8)
        text = String(decoding: made, as: UTF8.self)
    }

    /// Returns the text without surrounding white space and invisible characters, which come with text that
    /// is copied from pages, chats and dialogs: byte order marks, zero-width spaces, marks of direction.
    private static func visible(_ text: String) -> [UInt8] {
        func isVisible(_ scalar: Unicode.Scalar) -> Bool {
            !scalar.properties.isWhitespace && scalar.properties.generalCategory != .format
        }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: isVisible),
            let last = scalars.lastIndex(where: isVisible)
        else { return [] }
        return Array(String(scalars[first...last]).utf8)
    }

    /// Returns an authority in which only the last @ separates a login from the host, as in browsers: others
    /// belong to the login, and are encoded.
    static func withOneAt(_ authority: ArraySlice<UInt8>) -> [UInt8] {
        let at = UInt8(ascii: "@")
        guard let last = authority.lastIndex(of: at) else { return Array(authority) }
        return authority[..<last].flatMap { $0 == at ? PercentEncoding.escape($0) : [$0] }
            + authority[last...]
    }

    /// Returns the bytes without surrounding white space.
    static func trimmed(_ bytes: String.UTF8View) -> [UInt8] {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        let rest = bytes.drop(while: isBlank)
        return Array(
            rest.prefix(upTo: rest.lastIndex { !isBlank($0) }.map(rest.index(after:)) ?? rest.startIndex))
    }

    private static func scheme(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let scheme = bytes.prefix { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "+") }
        return scheme.endIndex < bytes.endIndex && bytes[scheme.endIndex] == UInt8(ascii: ":") ? scheme : nil
    }

    private static func isHTTP(_ scheme: ArraySlice<UInt8>) -> Bool {
        ["http", "https"].contains(String(decoding: scheme, as: UTF8.self).lowercased())
    }

    /// Replaces backslashes with slashes up to the path, and in it if no slash precedes them: `http:\\host`.
    /// After a slash a backslash is a character of a name.
    private static func turnBackslashes(_ bytes: inout [UInt8]) {
        let (slash, backslash) = (UInt8(ascii: "/"), UInt8(ascii: "\\"))
        func isSeparator(_ byte: UInt8) -> Bool { byte == slash || byte == backslash }
        let place = bytes.prefix { !"?#".utf8.contains($0) }
        let turned =
            switch place.first(where: isSeparator) {
            case backslash?: place
            default:
                place.prefix(
                    upTo: place.drop { !isSeparator($0) }.drop(while: isSeparator).firstIndex(
                        where: isSeparator
                    )
                    .map { $0 + 1 } ?? place.endIndex)
            }
        for index in turned.indices where bytes[index] == backslash { bytes[index] = slash }
    }

    /// Removes the third slash of `http:///host/path`, as libcurl and browsers do, if a host follows. Without
    /// this condition, the name of a file could become a host: `http:///file`.
    private static func dropThirdSlash(_ bytes: inout [UInt8], behind start: Int) {
        let rest = bytes[start...]
        guard rest.starts(with: "///".utf8), !rest.starts(with: "////".utf8),
            BareAddress.url(String(decoding: rest.dropFirst(3), as: UTF8.self)) != nil
        else { return }
        bytes.remove(at: start)
    }

    /// Returns the path with `%2e` replaced by dots where they are a whole segment (`.` or `..`).
    private static func plainDots(_ path: ArraySlice<UInt8>) -> [UInt8] {
        guard path.contains(UInt8(ascii: "%")) else { return Array(path) }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let plain = segments.map { segment -> ArraySlice<UInt8> in
            switch String(decoding: segment, as: UTF8.self).lowercased() {
            case "%2e": [UInt8(ascii: ".")]
            case ".%2e", "%2e.", "%2e%2e": [UInt8(ascii: "."), UInt8(ascii: ".")]
            default: segment
            }
        }
        return Array(plain.joined(separator: [UInt8(ascii: "/")]))
    }

    private static func encoded(_ bytes: some Sequence<UInt8>, _ unsafe: String.UTF8View) -> [UInt8] {
        var made: [UInt8] = []
        for byte in bytes {
            if byte <= 0x20 || byte >= 0x7f || unsafe.contains(byte) {
                made += PercentEncoding.escape(byte)
            } else {
                made.append(byte)
            }
        }
        return made
    }
}
