import ArgumentParser

/// The options of a subcommand, taken from its help, because a list of their own could differ from it.
struct CommandOptions: Equatable, Sendable {
    enum Kind: Sendable { case valued, flag }

    /// The options by all of their names, with the dashes.
    private var kinds: [String: Kind] = [:]
    /// The long names of those with a short one.
    private var longNames: [String: String] = [:]

    init(of command: any ParsableCommand.Type) {
        // Wide enough for the names of an option and its value on one line.
        self.init(help: command.helpMessage(includeHidden: true, columns: 400))
    }

    init(help: String) {
        for line in help.split(separator: "\n") where line.hasPrefix("  -") {
            var names: [String] = []
            var kind = Kind.flag
            for word in line.split(whereSeparator: { $0 == " " || $0 == "," }) {
                if word.hasPrefix("<") { kind = .valued }
                guard word.hasPrefix("-") else { break }
                names.append(String(word))
            }
            let long = names.first { $0.hasPrefix("--") }
            for name in names {
                kinds[name] = kind
                if let long, name != long { longNames[name] = long }
            }
        }
    }

    var names: Set<String> { Set(kinds.keys) }

    /// - Returns: `nil` for an option that the subcommand does not have.
    func kind(of name: String) -> Kind? { kinds[name] }

    /// Returns the long name of an option, if it has one.
    func longName(of name: String) -> String { longNames[name] ?? name }
}
