import ArgumentParser

/// Calls the parser only for the subcommand in the arguments. Through the root command, it would build the
/// subcommand's table of options four times instead of twice, which is most of the startup time.
enum CommandParsing {
    /// - Parameter root: The parent command, which handles `--help` and `--version`.
    static func parse(
        _ arguments: [String], root: any AsyncParsableCommand.Type
    ) async throws -> any ParsableCommand {
        // The root command handles --version.
        guard let named = NamedCommand(arguments, root: root), !arguments.contains("--version") else {
            return try await root.asyncParseAsRoot(arguments)
        }
        let command = try await parse(arguments.dropFirst(named.words.count), as: named.type)
        // A request for help results in another command. The help of a subcommand contains the names of its
        // parents.
        return type(of: command) == named.type ? command : try await root.asyncParseAsRoot(arguments)
    }

    private static func parse(
        _ arguments: ArraySlice<String>, as type: any ParsableCommand.Type
    ) async throws -> any ParsableCommand {
        // Without arguments, the parser prints the whole help.
        let arguments = arguments.isEmpty ? ["--"] : Array(arguments)
        guard let type = type as? any AsyncParsableCommand.Type else {
            return try type.parseAsRoot(arguments)
        }
        return try await type.asyncParseAsRoot(arguments)
    }

    /// Returns the command of a run.
    ///
    /// - Throws: `UsageFault`, or an error of the parser.
    static func parse(
        _ sources: ArgumentSources, root: any AsyncParsableCommand.Type
    ) async throws -> any ParsableCommand {
        let arguments = sources.arguments
        do {
            return try await parse(arguments, root: root)
        } catch {
            let isUsage = root.exitCode(for: error) == .validationFailure
            guard isUsage else { throw error }
            let place = await sources.placeOfFault { (try? await parse($0, root: root)) != nil }
            if let place {
                throw UsageFault(
                    reason: "\(place): \(root.message(for: error)) Correct it, or run with --no-conf.")
            }
            let sentence =
                UnknownOption.sentence(for: arguments, root: root)
                ?? MisparsedURL.sentence(
                    for: arguments, message: fullMessage(for: error, arguments, root: root))
            guard let sentence else { throw error }
            throw UsageFault(reason: sentence)
        }
    }

    /// Returns the parser's message and usage, with the full name of the subcommand.
    static func fullMessage(
        for error: any Error, _ arguments: [String], root: any AsyncParsableCommand.Type
    ) -> String {
        let message = root.fullMessage(for: error)
        guard let named = NamedCommand(arguments, root: root),
            let name = named.type.configuration.commandName
        else {
            return message
        }
        let whole = (["segdl"] + named.words).joined(separator: " ")
        return message.replacing("\nUsage: \(name) ", with: "\nUsage: \(whole) ")
            .replacing("\n  See '\(name) --", with: "\n  See '\(whole) --")
    }
}

/// Invalid arguments.
struct UsageFault: Error, Equatable {
    /// A sentence for the user.
    let reason: String
}
