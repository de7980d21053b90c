import ArgumentParser
import SegmentedDLOptions
import SegmentedDLSupport

/// The options of a subcommand, parsed from its help, because a separate list could become inconsistent.
struct CommandOptions: Equatable, Sendable {
    enum Kind: Sendable { case valued, flag }

    /// The options by name, including all alternative names, with dashes.
    private var kinds: [String: Kind] = [:]
    /// The long names of options with a short name.
    private var longNames: [String: String] = [:]
    /// The names of options whose value is a URL.
    private var namesOfURLs: Set<String> = []

    /// A cache of parsed tables, because generating a subcommand's help takes as long as the rest of the
    /// startup.
    private static let known = Lock<[ObjectIdentifier: CommandOptions]>([:])

    init(of command: any ParsableCommand.Type) {
        if let known = Self.known.withLock({ $0[ObjectIdentifier(command)] }) {
            self = known
            return
        }
        // Wide enough for an option's names and value on one line.
        self.init(help: command.helpMessage(includeHidden: true, columns: 400))
        Self.known.withLock { [self] in $0[ObjectIdentifier(command)] = self }
    }

    init(help: String) {
        for line in help.split(separator: "\n") where line.hasPrefix("  -") {
            var names: [String] = []
            var kind = Kind.flag
            var isOfURL = false
            for word in line.split(whereSeparator: { $0 == " " || $0 == "," }) {
                if word.hasPrefix("<") { (kind, isOfURL) = (.valued, word.hasPrefix("<url>")) }
                guard word.hasPrefix("-") else { break }
                names.append(String(word))
            }
            let long = names.first { $0.hasPrefix("--") }
            for name in names {
                kinds[name] = kind
                if isOfURL { namesOfURLs.insert(name) }
                if let long, name != long { longNames[name] = long }
            }
        }
    }

    var names: Set<String> { Set(kinds.keys) }

    /// - Returns: `nil` if the subcommand does not have the option.
    func kind(of name: String) -> Kind? { kinds[name] }

    /// Returns the long name of an option, if it has one.
    func longName(of name: String) -> String { longNames[name] ?? name }

    /// Returns true for an option whose value is a URL.
    func takesURL(_ name: String) -> Bool { namesOfURLs.contains(name) }

    /// An option of a command line.
    struct Given: Equatable {
        var name: String
        /// `nil` for a flag, or if it is missing.
        var value: String?
    }

    /// Returns the options of a command line, and the number of its other arguments.
    func given(in arguments: ArraySlice<String>) -> (options: [Given], others: Int) {
        var (options, others): ([Given], Int) = ([], 0)
        var rest = arguments
        while let argument = rest.popFirst() {
            if argument == "--" { return (options, others + rest.count) }
            guard argument.hasPrefix("-"), argument != "-" else {
                others += 1
                continue
            }
            let isLong = argument.hasPrefix("--")
            let name = isLong ? String(argument.prefix { $0 != "=" }) : String(argument.prefix(2))
            var option = Given(name: name)
            if kind(of: name) == .valued {
                option.value =
                    argument == name
                    ? rest.popFirst() : String(argument.dropFirst(name.count).drop { isLong && $0 == "=" })
            } else if !isLong, kind(of: name) == .flag, argument.dropFirst(2).first?.isLetter ?? false {
                // A group, such as -qc.
                rest = ["-\(argument.dropFirst(2))"] + rest
            }
            options.append(option)
        }
        return (options, others)
    }
}

extension ForeignOption {
    /// The kind of an option; `nil` if it is unknown, or segdl does not have it.
    static func kind(of name: String) -> CommandOptions.Kind? {
        switch meaning(of: name) {
        case .value, .isDefaultWithValue: .valued
        case .flag, .isDefault: .flag
        case .missing, nil: nil
        }
    }
}
