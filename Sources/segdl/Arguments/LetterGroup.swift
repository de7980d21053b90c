/// Groups of letters whose meaning depends on the tool: those with curl's and wget's `-O`, those with wget's
/// `-nv`, and those with axel's `-a`.
enum LetterGroup {
    /// wget's options that consist of `-n` and a letter.
    private static let negated = "cdHpv"
    /// axel's letters without a value that users combine with `-a`.
    private static let ofAxel = "qvk46"

    /// Splits a group into other arguments, or refuses it.
    ///
    /// - Parameter next: The argument that follows the group.
    /// - Returns: `nil` for an argument that is not such a group.
    static func read(_ argument: String, next: String?) -> ArgumentTranslation.Outcome? {
        guard argument.utf8.count > 2, argument.hasPrefix("-"), !argument.hasPrefix("--") else { return nil }
        let letters = argument.dropFirst(2)
        switch argument.dropFirst().first {
        case "n": return negations(letters, in: argument)
        case "a": return alternate(letters, next: next).map { .arguments($0) }
        default: return remoteName(argument, next: next).map { .arguments($0) }
        }
    }

    // MARK: -O

    /// Returns the arguments for a group in which letters follow `-O`. They are flags only if all of them are
    /// curl's; otherwise they are the name of the file, as in wget.
    private static func remoteName(_ argument: String, next: String?) -> [String]? {
        guard let place = argument.firstIndex(of: "O") else { return nil }
        let before = argument[..<place].dropFirst()
        let behind = argument[argument.index(after: place)...]
        guard !behind.isEmpty,
            before.allSatisfy({ (RemoteNameOption.flags + RemoteNameOption.flagsBefore).contains($0) })
        else { return nil }
        // Before -O, curl has neither of these.
        let isOfWget = before.contains { "qc".contains($0) }
        if !isOfWget {
            if behind.allSatisfy({ RemoteNameOption.flags.contains($0) }) { return nil }
            if let parts = resuming(argument, next: next) { return parts }
        }
        let name = behind.first == "=" ? behind.dropFirst() : behind
        return flags(before) + ["--output=\(name)"]
    }

    /// Returns the arguments for a group that ends with curl's `-C -`, such as `-LOC -`.
    private static func resuming(_ argument: String, next: String?) -> [String]? {
        let end = argument.hasSuffix("C-") ? "C-" : "C"
        let flags = argument.dropLast(end.count)
        guard argument.hasSuffix(end), end == "C-" || next == "-",
            flags.dropFirst().allSatisfy({ RemoteNameOption.flags.contains($0) })
        else { return nil }
        return [String(flags), "-\(end)"]
    }

    private static func flags(_ letters: Substring) -> [String] {
        // Alone, segdl's own -s has a value.
        letters.isEmpty ? [] : letters == "s" ? ["--progress=none"] : ["-\(letters)"]
    }

    // MARK: -n

    private static func negations(
        _ letters: Substring, in argument: String
    ) -> ArgumentTranslation.Outcome? {
        // axel's number, or a stored value.
        if letters.first == "=" || letters.allSatisfy(\.isNumber) { return nil }
        if letters.allSatisfy({ negated.contains($0) }) {
            return letters.count > 1 ? .arguments(letters.map { "-n\($0)" }) : nil
        }
        guard let first = letters.first, first.isLetter, !negated.contains(first), !letters.contains("-")
        else {
            return .refused(
                "\(TextWidth.printable(argument, ascii: false)) is neither wget's nor curl's: only c, d, H, p and v may follow wget's -n. Write other options separately, as in -nc -q, or -n -v for curl's --netrc --verbose."
            )
        }
        // curl's --netrc with other flags.
        return .arguments(["-n"] + flags(letters))
    }

    // MARK: -a

    /// Returns the arguments for axel's `-an 10`, `-aqn10` and `-aq`; `nil` for wget's log file.
    private static func alternate(_ letters: Substring, next: String?) -> [String]? {
        let flags = letters.prefix { ofAxel.contains($0) }
        let rest = letters.dropFirst(flags.count)
        let number = rest.dropFirst()
        let isNumbered = rest.first == "n" && (number.isEmpty ? next ?? "" : String(number)).isNumber
        guard rest.isEmpty || isNumbered else { return nil }
        return ["-a"] + flags.map { "-\($0)" } + (rest.isEmpty ? [] : ["-\(rest)"])
    }
}

extension String {
    /// True for one or more ASCII digits.
    fileprivate var isNumber: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
