/// The file name in a `Content-Disposition` header (RFC 6266, RFC 8187).
enum ContentDisposition {
    /// The name as sent, not yet safe; `filename*` goes before `filename`.
    static func fileName(_ header: String) -> String? {
        var plain: String?
        var extended: String?
        for (name, value) in parameters(header) {
            switch name {
            case "filename" where plain == nil: plain = value
            case "filename*" where extended == nil: extended = decodeExtended(value)
            default: break
            }
        }
        return extended ?? plain
    }

    /// The parameters behind the disposition type, names in lower case, quotes undone.
    private static func parameters(_ header: String) -> [(String, String)] {
        var found: [(String, String)] = []
        var rest = header[...]
        guard let first = rest.firstIndex(of: ";") else { return [] }
        rest = rest[rest.index(after: first)...]
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }) else { break }
            let name = rest[..<equals].trimmingBlanks().lowercased()
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

    private static func takeToken(_ rest: inout Substring) -> String {
        let token = rest.prefix { $0 != ";" }
        rest = rest[token.endIndex...]
        return String(token.trimmingBlanks())
    }

    private static func takeQuoted(_ rest: inout Substring) -> String {
        var value = ""
        rest.removeFirst()
        while let character = rest.popFirst() {
            if character == "\"" { break }
            if character == "\\", let escaped = rest.popFirst() {
                value.append(escaped)
            } else {
                value.append(character)
            }
        }
        return value
    }

    /// `UTF-8'en'na%C3%AFve`; only UTF-8 and ISO-8859-1 are defined (RFC 8187, section 3.2.1).
    private static func decodeExtended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        switch parts[0].lowercased() {
        case "utf-8":
            return URLParser.decoded(parts[2])
        case "iso-8859-1":
            return String(URLParser.decodedBytes(parts[2]).map { Character(UnicodeScalar($0)) })
        default:
            return nil
        }
    }
}
