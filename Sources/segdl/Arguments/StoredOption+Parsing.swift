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
            let word = bare.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }
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
    ///   - kind: The kind of an option of segdl; `nil` for any other.
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
            switch LetterGroup.read(word, next: rest.first) {
            case .arguments(let parts):
                rest = parts + rest
                continue
            case .refused(let sentence): throw fault(sentence, variable)
            case nil: break
            }
            let isLong = word.hasPrefix("--")
            // curl's -sL has a flag that is an option with a value elsewhere.
            if GivenOption.isCluster(word), !word.dropFirst().allSatisfy({ kind("-\($0)") == .flag }) {
                options.append(StoredOption(name: word, value: nil, place: variable))
                continue
            }
            // wget's -nv is not a group.
            let isWhole = isLong || word.count > 2 && ForeignOption.kind(of: word) != nil
            let name = isWhole ? String(word.prefix { $0 != "=" }) : String(word.prefix(2))
            let attached = word == name ? nil : String(word.dropFirst(isLong ? name.count + 1 : 2))
            let own = kind(name)
            let isGroup = !isWhole && attached != nil
            if own == .valued || PeerLogin.passwords.contains(name) {
                options.append(StoredOption(name: name, value: attached ?? rest.popFirst(), place: variable))
            } else if isGroup, own == .flag || ForeignOption.kind(of: name) == .flag {
                // Such as -qc or -4x16.
                options.append(StoredOption(name: name, value: nil, place: variable))
                rest = ["-\(word.dropFirst(2))"] + rest
            } else if own == .flag {
                options.append(StoredOption(name: name, value: attached, place: variable))
            } else {
                options.append(try ofOtherTool(word, &rest, variable))
            }
        }
        return options
    }

    /// Parses an option of another tool, such as `-C -`, as the command line does.
    ///
    /// - Parameter rest: The words that follow, from which its value is removed.
    private static func ofOtherTool(
        _ word: String, _ rest: inout ArraySlice<String>, _ variable: String
    ) throws(UsageFault) -> StoredOption {
        var given = GivenOption(word, next: rest.first)
        if given.translated() == nil, ForeignOption.meaning(of: given.name) != nil {
            throw fault(given.refusal, variable)
        }
        let value = given.hasTakenNext ? rest.popFirst() : given.attached
        return StoredOption(name: given.name, value: value, place: variable)
    }

    private static func fault(_ sentence: String, _ variable: String) -> UsageFault {
        UsageFault(reason: "\(variable): \(sentence) Correct it, or run with --no-conf.")
    }
}
