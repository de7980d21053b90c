import ArgumentParser
import SegmentedDLOptions

/// The message for an option that a subcommand does not have.
///
/// The parser would first report something else, because it takes the option's value for a URL, and would
/// suggest an option with a similar spelling.
enum UnknownOption {
    /// Returns a sentence about the first unknown option; `nil` if all are known.
    static func sentence(
        for arguments: [String], root: (any ParsableCommand.Type)? = nil
    ) -> String? {
        guard let command = NamedCommand(arguments, root: root) else { return nil }
        let options = CommandOptions(of: command.type)
        let given = options.given(in: arguments.dropFirst(command.words.count)).options
        guard let name = given.first(where: { options.kind(of: $0.name) == nil })?.name else { return nil }
        let title = (["segdl"] + command.words).joined(separator: " ")
        if command.type is QueueAdd.Type, CommandOptions(of: QueueStart.self).kind(of: name) != nil {
            return
                "\(name) is not an option of \(title), because the queue stores no headers, credentials or settings of connections. Use it with segdl queue start."
        }
        if let advice = TreeOptionAdvice.advice(for: name, of: command, in: arguments) {
            return "\(advice.option) is not an option of \(title). \(advice.sentence)"
        }
        let advice = own(for: name, options).map { "Use \($0)." } ?? "`\(title) --help` shows them."
        return "\(TextWidth.printable(name)) is not an option of \(title). \(advice)"
    }

    /// Returns our option with the same meaning, if the subcommand has it.
    private static func own(for name: String, _ options: CommandOptions) -> String? {
        let words: [String]
        switch ForeignOption.meaning(of: name) {
        case .value(let own): words = [own]
        // Only fetch has this one.
        case .flag(["--no-clobber"]): words = ["--if-exists", "skip"]
        case .flag(let own): words = own
        default: return nil
        }
        guard let first = words.first, options.kind(of: first) != nil else { return nil }
        return words.joined(separator: " ")
    }
}
