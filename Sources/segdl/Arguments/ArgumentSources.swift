import SegmentedDL
import SegmentedDLOptions

/// The options of a run: those of the configuration file, then of SEGDL_OPTIONS, then of the command line,
/// because the last value of an option applies. An option also overrides its opposite from an earlier source,
/// even if it only restates the default.
struct ArgumentSources {
    static let variable = "SEGDL_OPTIONS"
    /// The counted option, which would add to an earlier one.
    private static let counted = "--verbose"

    /// The arguments for an option from the file or the variable.
    private struct Stored {
        let arguments: [String]
        let place: String
    }

    /// The arguments that name the subcommand.
    private var words: [String] = []
    private var stored: [Stored] = []
    /// The command line after those arguments.
    private var typed: ArraySlice<String>
    /// A sentence about an ignored file, for standard error.
    private(set) var notice: String?

    /// - Parameters:
    ///   - typed: The arguments of the command line.
    ///   - variable: Returns the value of an environment variable.
    /// - Throws: `UsageFault` for invalid arguments, or an invalid file or variable.
    init(
        typed: [String], variable: (String) -> String? = ProcessEnvironment.variable
    ) throws(UsageFault) {
        var typed = Self.withProofLevels(typed)
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
            options.kind(of: $0) ?? NamedCommand.kind(of: $0)
        }
        words = command.words
        self.typed = own.dropFirst(words.count)
        var later = Set(options.given(in: self.typed).options.map { options.longName(of: $0.name) })
        var taken = command.type is Fetch.Type ? OptionOverrides.stored(by: OptionOverrides.typed(typed)) : []
        var found: [StoredOption] = []
        for listed in [flags, lines] {
            let source = try PeerLogin.joining(listed)
            var counting: [StoredOption] = []
            let texts = source.map { $0.name + ($0.value.map { "=\($0)" } ?? "") }
            for option in source where !OptionOverrides.isOverruled(option.name, by: texts) {
                counting += try option.translated(for: options)
            }
            counting.removeAll {
                let name = options.longName(of: $0.name)
                return command.hasOtherMeaning(for: name) || ExclusiveOptions.excludes(name, later)
                    || name == Self.counted && later.contains(name)
                    || taken.contains(OptionOverrides.key(name, $0.value))
            }
            taken.formUnion(OptionOverrides.stored(by: texts))
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

    /// Returns the arguments with the level that `--require-proof` may omit.
    private static func withProofLevels(_ arguments: [String]) -> [String] {
        let name = "--require-proof"
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments.indices.map { index in
            guard index < end, arguments[index] == name else { return arguments[index] }
            let next = index + 1 < end ? arguments[index + 1] : ""
            let isLevel = ProofPolicy.Level(rawValue: next) != nil
            return isLevel ? name : "\(name)=\(ProofPolicy.Level.digest.rawValue)"
        }
    }

    /// The arguments for the parser.
    var arguments: [String] { words + stored.flatMap(\.arguments) + typed }

    /// Returns the location of a stored option rejected by the parser; `nil` if the command line itself is
    /// invalid.
    ///
    /// - Parameter isTaken: True for arguments that the parser accepts.
    func placeOfFault(_ isTaken: ([String]) async -> Bool) async -> String? {
        guard !stored.isEmpty, await isTaken(words + typed) else { return nil }
        for option in stored {
            if await !isTaken(words + option.arguments + typed) { return option.place }
        }
        // The options contradict each other.
        return stored[0].place
    }
}

/// The mutually exclusive options of a command line.
enum ExclusiveOptions {
    private static let pairs: [Set<String>] = [
        ["--quiet", "--verbose"], ["--quiet", "--progress"], ["--continue", "--restart"], ["-4", "-6"],
        ["--no-clobber", "--if-exists"],
        ["--digest", "--anyauth"], ["--no-cookies", "--cookie-file"],
        ["--proxy-digest", "--proxy-anyauth"], ["--encoded", "--compressed"], ["--delete", "--delete-all"],
        ["--proof", "--no-proof"], ["--require-proof", "--no-proof"], ["--proof-key", "--no-proof"],
        ["--queue", "--remote"],
        ["--keep-running", "--until-idle"],
        ["--rpc-secret", "--rpc-secret-file"],
    ]

    /// Returns true if an option is excluded by one of the others. All must be long names, if they have any.
    static func excludes(_ name: String, _ others: Set<String>) -> Bool {
        pairs.contains { $0.contains(name) && !$0.subtracting([name]).isDisjoint(with: others) }
    }
}
