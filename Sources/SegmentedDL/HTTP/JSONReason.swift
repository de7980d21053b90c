/// The message in a refusal's JSON, which may be truncated.
enum JSONReason {
    /// The names of members that contain messages, the preferred ones first.
    private static let names = [
        "message", "error_description", "detail", "error", "reason", "msg", "title", "errors", "code",
    ]
    private static let deepest = 8

    /// Returns the value of the most preferred name, at any depth.
    static func find(in text: String) -> String? {
        var found: [String: String] = [:]
        var name: String?
        var depth = 0
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{", "[":
                depth += 1
                guard depth <= deepest else { return best(of: found) }
            case "}", "]":
                depth -= 1
                name = nil
            case ",": name = nil
            case "\"":
                guard let string = string(&rest) else { return best(of: found) }
                let isName = rest.first { !$0.properties.isWhitespace } == ":"
                if isName {
                    name = string.lowercased()
                } else if let name, found[name] == nil, !string.isEmpty {
                    found[name] = string
                }
            default: break
            }
        }
        return best(of: found)
    }

    private static func best(of found: [String: String]) -> String? {
        names.lazy.compactMap { found[$0] }.first.flatMap {
            $0.split(whereSeparator: \.isNewline).first.map(String.init)
        }
    }

    /// Reads a string after its opening quotation mark (RFC 8259, section 7); `nil` if its end is missing.
    private static func string(_ rest: inout Substring.UnicodeScalarView) -> String? {
        var string = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return String(string) }
            guard scalar == "\\" else {
                string.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "n"?, "r"?: string.append("\n")
            case "t"?, "b"?, "f"?: string.append(" ")
            case "u"?:
                let digits = String(String.UnicodeScalarView(rest.prefix(4)))
                rest = rest.dropFirst(4)
                // Unpaired surrogates are skipped.
                if let value = UInt32(digits, radix: 16), let scalar = UnicodeScalar(value) {
                    string.append(scalar)
                }
            case let scalar?: string.append(scalar)
            case nil: return nil
            }
        }
        return nil
    }
}
