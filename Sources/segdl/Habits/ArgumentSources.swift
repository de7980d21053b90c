/// The options of a run: first those of the configuration file, then those of SEGDL_OPTIONS, then the command
/// line, because of two values of an option the later one counts.
enum ArgumentSources {
    static let variable = "SEGDL_OPTIONS"

    /// Returns the arguments for the parser.
    ///
    /// - Parameters:
    ///   - typed: The arguments of the command line.
    ///   - variable: Returns the value of an environment variable.
    /// - Throws: `UsageFault` for arguments, a file or a variable that cannot be used.
    static func arguments(
        typed: [String], variable: (String) -> String? = ProcessEnvironment.variable
    ) throws(UsageFault) -> [String] {
        var typed = typed
        let file = try ConfigurationFile.take(from: &typed)
        let own: [String]
        switch ArgumentTranslation.translate(typed) {
        case .arguments(let translated): own = translated
        case .refused(let sentence): throw UsageFault(reason: sentence)
        }
        guard file != .ignored, let command = NamedCommand(own) else { return own }
        let words = variable(Self.variable) ?? ""
        var stored = try file.options(variable)
        guard !stored.isEmpty || !words.isEmpty else { return own }
        let options = CommandOptions(of: command.type)
        stored += try StoredOption.parse(words: words, variable: Self.variable) {
            options.kind(of: $0) ?? NamedCommand.kind(of: $0)
        }
        stored.removeAll { command.hasOtherMeaning(for: options.longName(of: $0.name)) }
        let added = try StoredOption.arguments(of: stored, for: options) {
            NamedCommand.kind(of: $0) != nil
        }
        return command.words + added + own.dropFirst(command.words.count)
    }
}
