/// The URIs that a pattern expands to (aria2's manual, --parameterized-uri): `{a,b}`, `[1-10]`, `[01-10:2]`,
/// `[a-f]`.
enum Aria2URIPattern {
    /// More than this are a mistake.
    private static let most = 100_000

    /// - Throws: `Aria2Failure` with status 1 for an unclosed bracket, an invalid range or too many URIs.
    static func expand(_ pattern: String) throws(Aria2Failure) -> [String] {
        var results = [""]
        var rest = pattern[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "[" }) {
            let closing: Character = rest[open] == "{" ? "}" : "]"
            guard let close = rest[open...].firstIndex(of: closing) else {
                throw wrong(pattern, "a '\(closing)' is missing")
            }
            let inside = rest[rest.index(after: open)..<close]
            let choices: [String]
            if rest[open] == "{" {
                choices = inside.split(separator: ",").map(String.init)
            } else {
                choices = range(inside) ?? []
            }
            guard !choices.isEmpty else { throw wrong(pattern, "'\(inside)' expands to nothing") }
            guard results.count * choices.count <= most else {
                throw wrong(pattern, "it expands to too many")
            }
            let before = rest[..<open]
            results = results.flatMap { start in choices.map { "\(start)\(before)\($0)" } }
            rest = rest[rest.index(after: close)...]
        }
        return results.map { "\($0)\(rest)" }
    }

    /// Returns the members of `1-10`, `01-10:2` or `a-f`; `nil` for any other text.
    private static func range(_ text: Substring) -> [String]? {
        let parts = text.split(separator: ":", maxSplits: 1)
        let bounds = (parts.first ?? "").split(separator: "-")
        guard bounds.count == 2, let step = parts.count > 1 ? Int(parts[1]) : 1, step > 0 else { return nil }
        if let first = Int(bounds[0]), let last = Int(bounds[1]), first >= 0, first <= last {
            let width = bounds[0].hasPrefix("0") ? bounds[0].count : 0
            guard (last - first) / step < most else { return nil }
            return stride(from: first, through: last, by: step).map { number in
                let digits = String(number)
                return String(repeating: "0", count: max(0, width - digits.count)) + digits
            }
        }
        guard let first = letter(bounds[0]), let last = letter(bounds[1]), first <= last else { return nil }
        return stride(from: Int(first), through: Int(last), by: step).map { number in
            String(Character(Unicode.Scalar(UInt8(number))))
        }
    }

    private static func letter(_ text: Substring) -> UInt8? {
        guard text.utf8.count == 1, let byte = text.utf8.first else { return nil }
        let isLetter = (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        return isLetter ? byte : nil
    }

    private static func wrong(_ pattern: String, _ reason: String) -> Aria2Failure {
        let shown = TextWidth.printable(pattern, ascii: false)
        return Aria2Failure(message: "The URI '\(shown)' cannot be expanded: \(reason).", status: 1)
    }
}
