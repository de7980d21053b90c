import SegmentedDL
import SegmentedDLOptions

/// Translates arguments in the notation of other tools to ours.
///
/// Runs before the parser, which would take the value of an unknown option for a URL, and suggest options
/// with a similar spelling.
enum ArgumentTranslation {
    enum Outcome: Equatable, Sendable {
        case arguments([String])
        /// The arguments are invalid; with a sentence for the user.
        case refused(String)
    }

    static let subcommands = ["fetch", "mirror", "queue", "serve", "bench", "verify", "inspect", "doctor"]

    static func translate(_ arguments: [String]) -> Outcome {
        guard let first = arguments.first else { return .arguments(arguments) }
        if arguments == ["-V"] || first == "version" { return .arguments(["--version"]) }
        if first == "fetch" { return translatingFetch(Array(arguments.dropFirst())) }
        if first == "queue", arguments.dropFirst().first == "help" {
            return .arguments(["help", first] + arguments.dropFirst(2))
        }
        if first == "queue", arguments.count > 1, let sentence = QueueVerbSuggestion.sentence(arguments[1]) {
            return .refused(sentence)
        }
        if subcommands.contains(first) {
            if let group = arguments.prefix(while: { $0 != "--" }).first(where: hasHelp) {
                return .refused(helpInGroup(group, of: first))
            }
            return .arguments(arguments.flatMap(splittingNumber))
        }
        if isOfRoot(first) { return .arguments(arguments) }
        let isAddress =
            first.contains("/") || first.contains(".") || first.hasPrefix("magnet:")
            || BareAddress.url(first) != nil
        if first.hasPrefix("-") || isAddress {
            return translatingFetch(arguments)
        }
        return .refused(unknownSubcommand(first))
    }

    /// True for an argument that the root command accepts without a subcommand.
    private static func isOfRoot(_ argument: String) -> Bool {
        let names = ["--version", "--help", "-h", "help", "--help-hidden", "--experimental-dump-help"]
        return names.contains(argument) || argument.hasPrefix("--generate-completion-script")
            || argument.hasPrefix("---completion")
    }

    private static func unknownSubcommand(_ word: String) -> String {
        let near =
            subcommands.first { $0.hasPrefix(word) || word.hasPrefix($0) }
            ?? SpellingDistance.nearest(to: word, in: subcommands)
        let habit =
            [
                "get": "fetch", "download": "fetch", "dl": "fetch", "add": "queue", "sync": "mirror",
                "copy": "mirror", "check": "verify",
            ][word] ?? near
        return "'\(TextWidth.printable(word, ascii: false))' is not a subcommand of segdl"
            + (habit.map { "; did you mean segdl \($0)?" } ?? ".")
            + " The subcommands are \(subcommands.dropLast().joined(separator: ", ")) and \(subcommands.last ?? ""); a URL alone is fetched."
    }

    /// True for a group of letters in which `-h` follows flags that several subcommands have.
    private static func hasHelp(_ argument: String) -> Bool {
        guard argument.count > 2, argument.hasPrefix("-"), let place = argument.firstIndex(of: "h") else {
            return false
        }
        return argument[..<place].dropFirst().allSatisfy { "qvc46".contains($0) }
    }

    private static func helpInGroup(_ argument: String, of subcommand: String) -> String {
        let shown = TextWidth.printable(argument, ascii: false)
        return "\(shown) contains -h, which is accepted only by itself: segdl \(subcommand) --help."
    }

    /// Splits `-x16`, `-s16` and `-j5`.
    private static func splittingNumber(_ argument: String) -> [String] {
        let number = argument.dropFirst(2)
        guard ["-x", "-s", "-j"].contains(argument.prefix(2)), !number.isEmpty,
            number.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return [argument] }
        return [String(argument.prefix(2)), String(number)]
    }

    // MARK: fetch

    private static func translatingFetch(_ arguments: [String]) -> Outcome {
        var result = ["fetch"]
        var rest = OptionOverrides.resolved(arguments)[...]
        let options = OptionOverrides.typed(Array(rest))
        var login = PeerLogin()
        var headers = GeneratedHeaders()
        var urls: [String] = []
        var protocols = AllowedProtocols()
        let namesOutputs = arguments.contains {
            $0.hasPrefix("-o") || $0.hasPrefix("--out") || GivenOption.isCluster($0) && $0.hasSuffix("o")
        }
        let showsProgress = arguments.prefix { $0 != "--" }.contains("--show-progress")
        while let argument = rest.popFirst() {
            if argument == "--" {
                result += [argument] + rest
                urls += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                result.append(argument)
                urls.append(argument)
                continue
            }
            switch LetterGroup.read(argument, next: rest.first) {
            case .arguments(let parts):
                rest = parts + rest
                continue
            case .refused(let sentence): return .refused(sentence)
            case nil: break
            }
            if let parts = splittingFlag(argument) {
                // A user who types a group does not mean -h.
                if parts.contains("-h") { return .refused(helpInGroup(argument, of: "fetch")) }
                rest = parts + rest
                continue
            }
            var option = GivenOption(argument, next: rest.first)
            if OptionOverrides.isOverruled(option.name, by: options) { continue }
            if PeerLogin.passwords.contains(option.name) {
                guard let password = option.takeValue() else {
                    return .refused("\(option.name) needs a value.")
                }
                if option.hasTakenNext { rest.removeFirst() }
                login.password = password
                continue
            }
            guard let translated = option.translated() else {
                return .refused(option.refusal)
            }
            protocols.note(option.name, option.attached ?? option.next)
            if option.hasTakenNext { rest.removeFirst() }
            if headers.take(option.name, translated, &result) { continue }
            result += showsProgress ? option.withoutQuiet(translated) : translated
            if PeerLogin.users.contains(option.name), translated.count == 2 { login.place = result.count - 1 }
            // If curl's -o is given for other URLs, it identifies the URL that keeps the server's name.
            if namesOutputs, option.keepsServersName { result += ["--output", OutputNames.servers] }
        }
        if let sentence = login.complete(&result) { return .refused(sentence) }
        headers.removeReplaced(from: &result)
        if let sentence = OutputNames.surplus(in: result, urls: urls.count) { return .refused(sentence) }
        if let sentence = protocols.refusal(result, urls: urls) { return .refused(sentence) }
        return .arguments(result)
    }

    /// Returns `-L` and `-u` for `-Lu`: the first letter of a group is a flag, and another option follows.
    /// `nil` for other arguments.
    private static func splittingFlag(_ argument: String) -> [String]? {
        let flag = String(argument.prefix(2))
        let letters = String(argument.dropFirst(2))
        guard flag != "--", let next = letters.first, next.isLetter || next.isNumber,
            letters != "true", letters != "false", Set(argument) != ["-", "v"],
            ForeignOption.meaning(of: argument) == nil, !GivenOption.isCluster(argument),
            isFlag(flag, before: letters)
        else { return nil }
        return [flag, "-\(letters)"]
    }

    private static func isFlag(_ option: String, before letters: String) -> Bool {
        switch option {
        case "-k": return ByteSize(argument: letters) == nil
        case "-h": return false
        default: break
        }
        switch ForeignOption.meaning(of: option) {
        case .isDefault, .flag: return true
        default: return FetchOptionNames.flags.contains(option)
        }
    }
}
