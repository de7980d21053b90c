/// The answer to an option that a subcommand does not have.
///
/// The parser would report something else first, because it takes the option's value for a URL, and would
/// guess another option by its spelling.
enum UnknownOption {
    /// Returns a sentence about the first unknown option; `nil` if all are known.
    static func sentence(for arguments: [String]) -> String? {
        guard let command = NamedCommand(arguments) else { return nil }
        let options = CommandOptions(of: command.type)
        guard let name = first(in: arguments.dropFirst(command.words.count), options) else { return nil }
        let title = (["segdl"] + command.words).joined(separator: " ")
        let advice = own(for: name, options).map { "Write \($0)." } ?? "`\(title) --help` shows them."
        return "\(TextWidth.printable(name)) is not an option of \(title). \(advice)"
    }

    static func first(in arguments: ArraySlice<String>, _ options: CommandOptions) -> String? {
        var rest = arguments
        while let argument = rest.popFirst() {
            if argument == "--" { return nil }
            guard argument.hasPrefix("-"), argument != "-" else { continue }
            let isLong = argument.hasPrefix("--")
            let name = isLong ? String(argument.prefix { $0 != "=" }) : String(argument.prefix(2))
            switch options.kind(of: name) {
            case .valued:
                if argument == name { rest = rest.dropFirst() }
            case .flag: break
            case nil: return name
            }
        }
        return nil
    }

    /// Returns our option of the same meaning, if the subcommand has it.
    private static func own(for name: String, _ options: CommandOptions) -> String? {
        let words: [String]
        switch PeerOption.named(name) {
        case .value(let own): words = [own]
        case .flag(let own): words = own
        default: return nil
        }
        guard let first = words.first, options.kind(of: first) != nil else { return nil }
        return words.joined(separator: " ")
    }
}
