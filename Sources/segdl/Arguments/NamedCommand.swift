import ArgumentParser

/// The subcommand named by the first arguments.
struct NamedCommand {
    /// The subcommands whose options may be stored. Not `doctor`, which has none.
    static let main: [any ParsableCommand.Type] = [
        Fetch.self, MirrorCommand.self, Queue.self, Serve.self, Benchmark.self, Verify.self, Inspect.self,
    ]

    let type: any ParsableCommand.Type
    /// The arguments that specify it.
    let words: [String]

    /// - Parameter root: A command whose subcommands are included.
    /// - Returns: `nil` if they do not specify a subcommand that can run.
    init?(_ arguments: [String], root: (any ParsableCommand.Type)? = nil) {
        var type: (any ParsableCommand.Type)?
        var words: [String] = []
        for argument in arguments {
            let below = type?.configuration.subcommands ?? Self.main + (root?.configuration.subcommands ?? [])
            guard let next = below.first(where: { $0.configuration.commandName == argument }) else { break }
            type = next
            words.append(argument)
        }
        guard var type else { return nil }
        if let usual = type.configuration.defaultSubcommand { type = usual }
        guard type.configuration.subcommands.isEmpty else { return nil }
        self.type = type
        self.words = words
    }

    /// True for an option whose meaning differs from that for downloads, so that a stored one does not apply:
    /// a directory for downloads must not determine which files are checked.
    func hasOtherMeaning(for name: String) -> Bool {
        type is Verify.Type && ["--directory", "--checksum"].contains(name)
    }

    /// Returns all runnable subcommands.
    private static func all(
        of commands: [any ParsableCommand.Type] = main
    ) -> [any ParsableCommand.Type] {
        commands.flatMap { command in
            let subcommands = command.configuration.subcommands
            return subcommands.isEmpty ? [command] : all(of: subcommands)
        }
    }

    /// Returns the kind of an option of any subcommand.
    static func kind(of name: String) -> CommandOptions.Kind? {
        for command in all() {
            if let kind = CommandOptions(of: command).kind(of: name) { return kind }
        }
        return nil
    }
}
