/// A name that a header field splits into several parts (RFC 2231, section 3): `filename*0=`, `filename*1*=`
/// and so on, in any order. RFC 8187 omits them, but mail programs and old web frameworks write them, and
/// wget and Firefox read them.
struct ContinuedName {
    private struct Part {
        var value: String
        /// True if its percent signs are escapes, that is, if the parameter's name ends with an asterisk.
        var isEncoded: Bool
    }

    private var parts: [Int: Part] = [:]

    /// Adds a parameter if it is a part. If several have the same number, the first is used.
    ///
    /// - Parameter parameter: The parameter's name in lower case.
    mutating func add(_ parameter: String, _ value: String) {
        let fields = parameter.split(separator: "*", omittingEmptySubsequences: false)
        guard fields.count == 2 || fields.count == 3 && fields[2].isEmpty, fields[0] == "filename",
            let number = Self.number(fields[1]), parts[number] == nil
        else { return }
        parts[number] = Part(value: value, isEncoded: fields.count == 3)
    }

    /// The parts from the first to the last, or to the first gap.
    private var run: [Part] { (0...).lazy.map { parts[$0] }.prefix { $0 != nil }.compactMap(\.self) }

    /// True if no part is missing between the first and the last.
    var isWhole: Bool { !parts.isEmpty && run.count == parts.count }

    /// The name up to the first gap; `nil` if the first part is missing, or a part is unreadable.
    var text: String? {
        var run = run
        guard let first = run.first else { return nil }
        guard run.contains(where: \.isEncoded) else { return EncodedName.decoded(run.map(\.value).joined()) }
        var charset = "utf-8"
        if first.isEncoded {
            let fields = first.value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return nil }
            charset = String(fields[0])
            run[0].value = String(fields[2])
        }
        return Self.joined(run, in: charset)
    }

    /// Joins the parts before decoding, because a character may be split between two parts.
    private static func joined(_ parts: [Part], in charset: String) -> String? {
        var (name, bytes) = ("", [UInt8]())
        for part in parts {
            if part.isEncoded {
                guard EncodedName.hasOnlyEscapes(part.value) else { return nil }
                bytes += URLParser.decodedBytes(part.value)
            } else {
                guard let text = EncodedName.text(bytes, in: charset) else { return nil }
                name += text + part.value
                bytes = []
            }
        }
        guard let text = EncodedName.text(bytes, in: charset) else { return nil }
        return name + text
    }

    /// Returns a part's number: leading zeros and very high numbers are rejected.
    private static func number(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text == "0" || text.first != "0"
        else { return nil }
        return Int(text)
    }
}
