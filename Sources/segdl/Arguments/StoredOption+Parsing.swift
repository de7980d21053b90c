import SegmentedDLOptions

extension StoredOption {
    /// Parses the text of a configuration file. Each line is `NAME = VALUE`, `--NAME VALUE` or `NAME`, with a
    /// long name. Blank lines and lines that begin with # are ignored.
    ///
    /// - Parameters:
    ///   - name: The file's name, for messages.
    ///   - home: The directory that a leading `~/` in a value means.
    /// - Throws: `UsageFault` with the number of the line, but not its text, which may contain a secret.
    static func parse(file text: String, name: String, home: String?) throws(UsageFault) -> [StoredOption] {
        var options: [StoredOption] = []
        let lines = InputList.withoutMark(text[...]).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let content = InputList.trimmed(line)
            if content.isEmpty || content.hasPrefix("#") { continue }
            let bare = content.hasPrefix("--") ? content.dropFirst(2) : content[...]
            let word = bare.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            let rest = bare.dropFirst(word.count)
            let place = "\(name):\(index + 1)"
            guard word.count > 1, word.first != "-",
                rest.first.map({ $0 == "=" || $0.isWhitespace }) ?? true
            else {
                throw UsageFault(
                    reason: "\(place): this is not an option; write NAME = VALUE with a long option's name.")
            }
            options.append(StoredOption(name: "--\(word)", value: value(rest, home: home), place: place))
        }
        return options
    }

    /// Returns the value in the text that follows a name.
    private static func value(_ text: Substring, home: String?) -> String? {
        var value = InputList.trimmed(text)
        if value.isEmpty { return nil }
        if value.hasPrefix("=") { value = InputList.trimmed(value.dropFirst()) }
        if value.count > 1, let quote = value.first, quote == value.last, quote == "\"" || quote == "'" {
            return String(value.dropFirst().dropLast())
        }
        guard let home, value == "~" || value.hasPrefix("~/") else { return value }
        return home + value.dropFirst()
    }

    /// Parses options in command-line notation.
    ///
    /// - Parameters:
    ///   - variable: The name of the variable that contains the text, for messages.
    ///   - kind: The kind of an option; `nil` for an unknown option.
    /// - Throws: `UsageFault` that names the variable.
    static func parse(
        words text: String, variable: String, kind: (String) -> CommandOptions.Kind?
    ) throws(UsageFault) -> [StoredOption] {
        var rest: ArraySlice<String>
        do {
            rest = try ShellWords.split(text)[...]
        } catch {
            throw UsageFault(reason: "\(variable): \(error.reason).")
        }
        var options: [StoredOption] = []
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word.count > 1, word != "--" else {
                throw UsageFault(
                    reason:
                        "\(variable) contains a word that is not an option; it must contain only options, quoted as in a shell."
                )
            }
            let isLong = word.hasPrefix("--")
            // wget's -nv is not a group.
            let isWhole = isLong || word.count > 2 && ForeignOption.kind(of: word) != nil
            let name = isWhole ? String(word.prefix { $0 != "=" }) : String(word.prefix(2))
            let attached = word == name ? nil : String(word.dropFirst(isLong ? name.count + 1 : 2))
            if kind(name) == .valued {
                options.append(StoredOption(name: name, value: attached ?? rest.popFirst(), place: variable))
            } else if isWhole {
                options.append(StoredOption(name: name, value: attached, place: variable))
            } else {
                // A group of flags, such as -qc.
                options += word.dropFirst().map { StoredOption(name: "-\($0)", value: nil, place: variable) }
            }
        }
        return options
    }
}
