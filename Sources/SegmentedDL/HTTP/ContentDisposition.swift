/// The file name in a `Content-Disposition` header (RFC 6266, RFC 8187).
///
/// It works on Unicode scalars throughout: a quote and a following combining mark form one `Character` that
/// equals neither.
enum ContentDisposition {
    /// Returns the name as it was sent, not yet sanitized. The order of precedence is `filename*`, a name in
    /// parts (RFC 2231), `filename`, a name with missing parts, and a `filename*` that cannot be decoded.
    static func fileName(_ header: String) -> String? {
        var plain: String?
        var extended: String?
        var undecoded: String?
        var continued = ContinuedName()
        for (name, value) in parameters(header) {
            switch name {
            case "filename" where plain == nil: plain = EncodedName.decoded(value)
            case "filename*" where extended == nil:
                extended = decodeExtended(value)
                undecoded = undecoded ?? escaped(value)
            default: continued.add(name, value)
            }
        }
        return extended ?? (continued.isWhole ? continued.text : nil) ?? plain ?? continued.text
            ?? undecoded
    }

    /// Returns the parameters after the disposition type, with lower-case names and unquoted values. Some
    /// servers omit the type.
    private static func parameters(_ header: String) -> [(String, String)] {
        var found: [(String, String)] = []
        var rest = header.unicodeScalars[...]
        guard let first = rest.firstIndex(where: { $0 == "=" || $0 == ";" }) else { return [] }
        if rest[first] == ";" { rest = rest[rest.index(after: first)...] }
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }) else { break }
            let name = String(rest[..<equals]).trimmingBlanks().lowercased()
            let isFlag = rest[equals] == ";"
            rest = rest[rest.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
            if isFlag { continue }
            let value = rest.first == "\"" ? takeQuoted(&rest) : takeToken(&rest)
            found.append((name, value))
            guard let next = rest.firstIndex(of: ";") else { break }
            rest = rest[rest.index(after: next)...]
        }
        return found
    }

    private static func takeToken(_ rest: inout Substring.UnicodeScalarView) -> String {
        let token = rest.prefix { $0 != ";" }
        rest = rest[token.endIndex...]
        return String(String(token).trimmingBlanks())
    }

    /// Consumes a quoted string. A backslash escapes a quote and a backslash; before any other character it
    /// is literal, as in the Windows paths that some servers send.
    private static func takeQuoted(_ rest: inout Substring.UnicodeScalarView) -> String {
        var value = String.UnicodeScalarView()
        rest.removeFirst()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { break }
            if scalar == "\\", let escaped = rest.first, escaped == "\"" || escaped == "\\" {
                value.append(rest.removeFirst())
            } else {
                value.append(scalar)
            }
        }
        return String(value)
    }

    /// Decodes `UTF-8'en'na%C3%AFve`; only UTF-8 and ISO-8859-1 are defined (RFC 8187, section 3.2.1).
    ///
    /// - Returns: `nil` for any other format, or bytes that are invalid in the character set; `filename` is
    ///   then used.
    private static func decodeExtended(_ value: String) -> String? {
        let parts = value.unicodeScalars.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count == 3, !parts[2].isEmpty, EncodedName.hasOnlyEscapes(parts[2]) else { return nil }
        return EncodedName.text(URLParser.decodedBytes(parts[2]), in: parts[0])
    }

    /// Returns the name in an extended value with another character set, or none. Bytes that are not UTF-8
    /// keep their escapes, as in URLs, so that the name and its extension remain recognizable.
    private static func escaped(_ value: String) -> String? {
        let parts = value.unicodeScalars.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count != 2, let name = parts.last, !name.isEmpty else { return nil }
        return URLParser.name(name[...])
    }
}
