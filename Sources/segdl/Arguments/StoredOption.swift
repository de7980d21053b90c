import SegmentedDLOptions

/// An option of the configuration file or of SEGDL_OPTIONS.
struct StoredOption: Equatable, Sendable {
    /// The name with its dashes.
    var name: String
    /// `nil` if it has none.
    var value: String?
    /// The location, for messages: the file and the line, or the variable.
    var place: String

    /// Returns the arguments, preceded by the stored options that the subcommand has.
    ///
    /// - Parameter isKnown: True for an option of any subcommand.
    /// - Throws: `UsageFault` for an option that no subcommand has, or an unaccepted value.
    static func arguments(
        of stored: [StoredOption], for command: CommandOptions, isKnown: (String) -> Bool
    ) throws(UsageFault) -> [String] {
        var arguments: [String] = []
        for option in stored {
            // Help is only for the command line.
            guard !["--help", "-h", "--version"].contains(option.name) else {
                throw option.fault("is allowed only on the command line")
            }
            guard let kind = command.kind(of: option.name) else {
                guard isKnown(option.name) else { throw option.fault("is not an option of segdl") }
                continue
            }
            let name = command.longName(of: option.name)
            switch kind {
            case .valued:
                guard let value = option.value else { throw option.fault("needs a value") }
                arguments.append("\(name)=\(value)")
            case .flag:
                let value = option.value ?? "true"
                guard ["true", "false"].contains(value) else {
                    throw option.fault("only accepts true and false")
                }
                if value == "true" { arguments.append(name) }
            }
        }
        return arguments
    }

    /// Returns our options with the same meaning as an option of another tool, in the notation of `segdl
    /// fetch`. `--dir` is the name of the directory option both in aria2 and in `segdl serve`.
    ///
    /// - Throws: `UsageFault` for an option that segdl does not have, with its alternative.
    func translated(for command: CommandOptions) throws(UsageFault) -> [StoredOption] {
        try ownOptions(for: command).map { $0.keepingExisting(for: command) }
    }

    /// Only fetch has --no-clobber; other subcommands compare the length of an existing file.
    private func keepingExisting(for command: CommandOptions) -> StoredOption {
        guard name == "--no-clobber", value != "false", command.kind(of: name) == nil,
            command.kind(of: "--if-exists") != nil
        else { return self }
        return StoredOption(name: "--if-exists", value: "skip", place: place)
    }

    private func ownOptions(for command: CommandOptions) throws(UsageFault) -> [StoredOption] {
        if command.kind(of: name) != nil || name != "--dir" && NamedCommand.kind(of: name) != nil {
            return [self]
        }
        switch ArgumentTranslation.translate(["fetch", name + (value.map { "=\($0)" } ?? "")]) {
        case .arguments(let arguments):
            return CommandOptions(of: Fetch.self).given(in: arguments.dropFirst()).options.map {
                StoredOption(name: $0.name, value: $0.value, place: place)
            }
        case .refused(let sentence):
            guard ForeignOption.meaning(of: name) != nil || PeerLogin.passwords.contains(name) else {
                return [self]
            }
            throw UsageFault(reason: "\(place): \(sentence) Correct it, or run with --no-conf.")
        }
    }

    private func fault(_ clause: String) -> UsageFault {
        UsageFault(
            reason: "\(place): \(TextWidth.printable(name)) \(clause); correct it, or run with --no-conf.")
    }
}
