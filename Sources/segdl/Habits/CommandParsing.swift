import ArgumentParser

/// The parser, asked for the subcommand alone that the arguments name. By way of the root it would build the
/// subcommand's table of options four times instead of twice, which is most of the time that a start takes.
enum CommandParsing {
    static func parse(_ arguments: [String]) async throws -> any ParsableCommand {
        // The version is the root's.
        guard let named = NamedCommand(arguments), !arguments.contains("--version") else {
            return try await SegDL.asyncParseAsRoot(arguments)
        }
        let command = try await parse(arguments.dropFirst(named.words.count), as: named.type)
        // A request for help yields another command. The help of a subcommand names those above it.
        return type(of: command) == named.type ? command : try await SegDL.asyncParseAsRoot(arguments)
    }

    private static func parse(
        _ arguments: ArraySlice<String>, as type: any ParsableCommand.Type
    ) async throws -> any ParsableCommand {
        // The parser answers no arguments at all with the whole help.
        let arguments = arguments.isEmpty ? ["--"] : Array(arguments)
        guard let type = type as? any AsyncParsableCommand.Type else {
            return try type.parseAsRoot(arguments)
        }
        return try await type.asyncParseAsRoot(arguments)
    }

    /// Returns the parser's message with the usage, in which the subcommand has its whole name.
    static func fullMessage(for error: any Error, _ arguments: [String]) -> String {
        let message = SegDL.fullMessage(for: error)
        guard let named = NamedCommand(arguments), let name = named.type.configuration.commandName else {
            return message
        }
        let whole = (["segdl"] + named.words).joined(separator: " ")
        return message.replacing("\nUsage: \(name) ", with: "\nUsage: \(whole) ")
            .replacing("\n  See '\(name) --", with: "\n  See '\(whole) --")
    }
}
