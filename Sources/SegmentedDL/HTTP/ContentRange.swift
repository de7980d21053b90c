/// The value of a `Content-Range` header (RFC 9110, section 14.4).
package enum ContentRange: Equatable, Sendable {
    /// `bytes first-last/total`; `total` is `nil` if the server sent `*`.
    case range(ByteRange, total: Int64?)
    /// `bytes */total`, as in a 416.
    case unsatisfied(total: Int64)

    /// Parses the value of a header field; `nil` unless it has exactly one of the two forms and is
    /// consistent.
    package init?(_ text: some StringProtocol) {
        let words = Array(text.utf8).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
        guard words.count == 2, String(decoding: words[0], as: UTF8.self).lowercased() == "bytes" else {
            return nil
        }
        let parts = words[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let total = Self.number(parts[1])
        guard total != nil || parts[1].elementsEqual("*".utf8) else { return nil }
        if parts[0].elementsEqual("*".utf8) {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let ends = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < Int64.max, last < total ?? Int64.max
        else { return nil }
        self = .range(first..<(last + 1), total: total)
    }

    /// Returns true if the text has neither form, but may describe the whole file: the numbers that it has
    /// allow a range from 0 to the last byte, as in `bytes 0-/5`, `0-4/5` and `bytes NaN-NaN/5`.
    static func isOfWhole(_ text: String) -> Bool {
        guard ContentRange(text) == nil, text.contains("/") else { return false }
        var words = text.split { " :=-/".contains($0) }[...]
        if words.first?.lowercased() == "bytes" { words.removeFirst() }
        guard (2...3).contains(words.count), number(words[words.startIndex]) ?? 0 == 0 else { return false }
        guard words.count == 3, let last = number(words[words.startIndex + 1]),
            let total = words.last.flatMap({ number($0) })
        else { return true }
        return last >= total - 1
    }

    /// The maximum length of a file, an exbibyte: sums of lengths never overflow.
    package static let largest: Int64 = 1 << 60

    /// Returns the number in a text of digits: no sign, no white space, at most `largest`.
    package static func number(_ text: some StringProtocol) -> Int64? { number(text.utf8) }

    private static func number(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for byte in digits {
            guard (0x30...0x39).contains(byte) else { return nil }
            let digit = Int64(byte - 0x30)
            guard number <= (largest - digit) / 10 else { return nil }
            number = number * 10 + digit
        }
        return number
    }
}
