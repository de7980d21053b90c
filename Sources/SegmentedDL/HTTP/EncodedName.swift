/// ASCII names that encode others: servers send them in `filename`, where no encoding is defined, and
/// browsers decode them.
enum EncodedName {
    /// Returns the decoded name: from encoded words (RFC 2047) or percent-encoding. Text that is not entirely
    /// in one of these forms is returned unchanged.
    static func decoded(_ text: String) -> String {
        words(text) ?? percentDecoded(text) ?? text
    }

    /// Returns the text of bytes in a character set that header fields may name; `nil` for other sets and
    /// invalid bytes.
    static func text(_ bytes: [UInt8], in charset: some StringProtocol) -> String? {
        switch charset.lowercased() {
        case "utf-8", "utf8": String(validating: bytes, as: UTF8.self)
        case "us-ascii" where bytes.allSatisfy { $0 < 0x80 }: String(validating: bytes, as: UTF8.self)
        case "iso-8859-1", "latin1":
            String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
        default: nil
        }
    }

    /// True if each percent sign begins an escape.
    static func hasOnlyEscapes(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { index in
            bytes[index] != UInt8(ascii: "%")
                || PercentEncoding.value(of: bytes[(index + 1)...].prefix(2)) != nil
        }
    }

    /// A percent sign may be literal, as in `100%.txt`, so all of them must begin escapes, and the decoded
    /// text must be a valid name.
    private static func percentDecoded(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")), hasOnlyEscapes(text) else { return nil }
        let bytes = URLParser.decodedBytes(text)
        let separators = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f || separators.contains($0) }) else {
            return nil
        }
        return String(validating: bytes, as: UTF8.self)
    }

    // MARK: Encoded words

    /// Returns the text of `=?UTF-8?B?…?=` and `=?UTF-8?Q?…?=`; spaces between two words are ignored, and a
    /// character may be split between them. `nil` if there is none, or one is unreadable.
    private static func words(_ text: String) -> String? {
        guard text.contains("=?") else { return nil }
        var (made, rest) = ("", Substring(text))
        var open: (charset: String, bytes: [UInt8])?
        func close() -> Bool {
            guard let word = open else { return true }
            open = nil
            guard let text = Self.text(word.bytes, in: word.charset) else { return false }
            made += text
            return true
        }
        while let start = rest.firstRange(of: "=?") {
            let before = rest[..<start.lowerBound]
            guard let word = EncodedWord(rest[start.upperBound...]) else { return nil }
            let isApart = open == nil || !before.allSatisfy { " \t".contains($0) }
            if isApart || open?.charset != word.charset {
                guard close() else { return nil }
                if isApart { made += before }
            }
            open = (word.charset, (open?.bytes ?? []) + word.bytes)
            rest = word.rest
        }
        return close() ? made + rest : nil
    }
}

/// An encoded word (RFC 2047, section 2) after its `=?`.
private struct EncodedWord {
    /// In lower case, without the language (RFC 2231, section 5).
    var charset: String
    var bytes: [UInt8]
    /// The text after the word.
    var rest: Substring

    init?(_ text: Substring) {
        let parts = text.split(separator: "?", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let end = parts[2].firstRange(of: "?=") else { return nil }
        charset = String(parts[0].prefix { $0 != "*" }).lowercased()
        rest = parts[2][end.upperBound...]
        let content = parts[2][..<end.lowerBound]
        switch parts[1].lowercased() {
        case "b":
            guard let decoded = Self.base64(content.utf8) else { return nil }
            bytes = decoded
        case "q":
            // Like percent-encoding, but with an equals sign; an underscore is a space.
            let escaped = content.replacing("%", with: "=25").replacing("_", with: " ")
                .replacing("=", with: "%")
            guard EncodedName.hasOnlyEscapes(escaped) else { return nil }
            bytes = URLParser.decodedBytes(escaped)
        default: return nil
        }
    }

    private static func base64(_ text: Substring.UTF8View) -> [UInt8]? {
        var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for byte in text.prefix(while: { $0 != UInt8(ascii: "=") }) {
            let value: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            default: return nil
            }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
