import SegmentedDLOptions

/// The options of a run: first those of the configuration file, then those of SEGDL_OPTIONS, then the command
/// line, because of two values of an option the later one counts. An option of one of them makes the opposite
/// one of those before it void, and so does one that states a default for the option that says otherwise.
struct ArgumentSources {
    static let variable = "SEGDL_OPTIONS"
    /// The option that counts, so that it would add up with the same one before it.
    private static let counted = "--verbose"

    /// The arguments that an option of the file or of the variable stands for.
    private struct Stored {
        let arguments: [String]
        let place: String
    }

    /// The words that name the subcommand.
    private var words: [String] = []
    private var stored: [Stored] = []
    /// The command line behind those words.
    private var typed: ArraySlice<String>
    /// A sentence about a file that does not count, for standard error.
    private(set) var notice: String?

    /// - Parameters:
    ///   - typed: The arguments of the command line.
    ///   - variable: Returns the value of an environment variable.
    /// - Throws: `UsageFault` for arguments, a file or a variable that cannot be used.
    init(
        typed: [String], variable: (String) -> String? = ProcessEnvironment.variable
    ) throws(UsageFault) {
        var typed = typed
        let file = try ConfigurationFile.take(from: &typed)
        let own: [String]
        switch ArgumentTranslation.translate(typed) {
        case .arguments(let translated): own = translated
        case .refused(let sentence): throw UsageFault(reason: sentence)
        }
        self.typed = own[...]
        guard file != .ignored, let command = NamedCommand(own) else { return }
        let text = variable(Self.variable) ?? ""
        let lines = try file.options(variable)
        if lines.isEmpty { notice = file.notice(variable) }
        guard !lines.isEmpty || !text.isEmpty else { return }
        let options = CommandOptions(of: command.type)
        let flags = try StoredOption.parse(words: text, variable: Self.variable) {
            options.kind(of: $0) ?? NamedCommand.kind(of: $0) ?? ForeignOption.kind(of: $0)
        }
        words = command.words
        self.typed = own.dropFirst(words.count)
        var later = Set(options.given(in: self.typed).options.map { options.longName(of: $0.name) })
        var taken = command.type is Fetch.Type ? TakenBack.stored(by: TakenBack.typed(typed)) : []
        var found: [StoredOption] = []
        for source in [flags, lines] {
            var counting: [StoredOption] = []
            for option in source { counting += try option.translated(for: options) }
            counting.removeAll {
                let name = options.longName(of: $0.name)
                return command.hasOtherMeaning(for: name) || ExclusiveOptions.excludes(name, later)
                    || name == Self.counted && later.contains(name)
                    || taken.contains(TakenBack.key(name, $0.value))
            }
            taken.formUnion(
                TakenBack.stored(by: source.map { $0.name + ($0.value.map { "=\($0)" } ?? "") }))
            later.formUnion(counting.filter { $0.value != "false" }.map { options.longName(of: $0.name) })
            found = counting + found
        }
        for option in found {
            let arguments = try StoredOption.arguments(of: [option], for: options) {
                NamedCommand.kind(of: $0) != nil
            }
            if !arguments.isEmpty { stored.append(Stored(arguments: arguments, place: option.place)) }
        }
    }

    /// The arguments for the parser.
    var arguments: [String] { words + stored.flatMap(\.arguments) + typed }

    /// Returns the place of the stored option that the parser does not take; `nil` if the command line itself
    /// is wrong.
    ///
    /// - Parameter isTaken: True for arguments that the parser takes.
    func placeOfFault(_ isTaken: ([String]) async -> Bool) async -> String? {
        guard !stored.isEmpty, await isTaken(words + typed) else { return nil }
        for option in stored {
            if await !isTaken(words + option.arguments + typed) { return option.place }
        }
        // They contradict each other.
        return stored[0].place
    }
}
