import SegmentedDL

extension Aria2Option {
    /// Returns the value as it is used.
    ///
    /// - Parameter home: The home directory.
    /// - Throws: `Aria2Failure` with aria2's words if the value makes no sense.
    func checked(_ value: String, home: String?) throws(Aria2Failure) -> String {
        switch kind {
        case .flag:
            guard value == "true" || value == "false" else {
                throw wrong("\(name) must be either 'true' or 'false'.")
            }
        case .number(let range):
            guard let number = Int(value) else { throw wrong("Bad number \(shown(value))") }
            try check(number, range)
        case .size(let range):
            guard let bytes = Self.bytes(value) else {
                throw wrong("Bad or negative value detected: \(shown(value))")
            }
            try check(bytes, range)
        case .choice(let choices):
            guard choices.contains(value) else {
                let known = choices.map { "'\($0)'" }.joined(separator: " ")
                throw wrong("\(name) must be one of the following:\(known)")
            }
        case .checksum:
            guard value.isEmpty || (try? Checksum(parsing: value)) != nil else {
                throw wrong("Unrecognized checksum")
            }
        case .path:
            return Self.expanded(value, home: home)
        case .text, .optional, .list, .command:
            break
        }
        return value
    }

    /// Reads `300`, `300K` or `3M`.
    static func bytes(_ text: String) -> Int? {
        let hasUnit = text.last.map { "kKmM".contains($0) } ?? false
        let digits = hasUnit ? text.dropLast() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let size = ByteSize(argument: text)
        else { return nil }
        return Int(size.bytes)
    }

    private func check(_ number: Int, _ range: ClosedRange<Int>) throws(Aria2Failure) {
        guard !range.contains(number) else { return }
        throw wrong(
            range.upperBound == .max
                ? "\(name) must be greater than or equal to \(range.lowerBound)."
                : "\(name) must be between \(range.lowerBound) and \(range.upperBound).")
    }

    private func wrong(_ reason: String) -> Aria2Failure {
        Aria2Failure(
            message: "We encountered a problem while processing the option '--\(name)'.\n  -> \(reason)")
    }

    private func shown(_ text: String) -> String { TextWidth.printable(text, ascii: false) }

    /// Puts the home directory in place of `${HOME}` (aria2's manual, aria2.conf).
    private static func expanded(_ text: String, home: String?) -> String {
        let variable = "${HOME}"
        guard let home, let range = text.firstRange(of: variable) else { return text }
        let rest = expanded(String(text[range.upperBound...]), home: home)
        return "\(text[..<range.lowerBound])\(home)\(rest)"
    }
}
