import ArgumentParser

/// The subcommand that the first arguments name.
struct NamedCommand {
    let type: any ParsableCommand.Type
    /// The arguments that name it.
    let words: [String]

    /// - Returns: `nil` if they name none that can run.
    init?(_ arguments: [String]) {
        var type: any ParsableCommand.Type = SegDL.self
        var words: [String] = []
        for argument in arguments {
            let next = type.configuration.subcommands.first { $0.configuration.commandName == argument }
            guard let next else { break }
            type = next
            words.append(argument)
        }
        if let usual = type.configuration.defaultSubcommand { type = usual }
        guard type.configuration.subcommands.isEmpty else { return nil }
        self.type = type
        self.words = words
    }

    /// True for an option that means something else here than for downloads, so that a stored one is not for
    /// it: a directory for downloads must not decide which files are checked.
    func hasOtherMeaning(for name: String) -> Bool {
        type is Verify.Type && ["--directory", "--checksum"].contains(name)
    }

    /// Returns all subcommands that can run.
    static func all(below type: any ParsableCommand.Type = SegDL.self) -> [any ParsableCommand.Type] {
        let subcommands = type.configuration.subcommands
        return subcommands.isEmpty ? [type] : subcommands.flatMap { all(below: $0) }
    }

    /// Returns the kind of an option of any subcommand.
    static func kind(of name: String) -> CommandOptions.Kind? {
        for command in all() {
            if let kind = CommandOptions(of: command).kind(of: name) { return kind }
        }
        return nil
    }
}
