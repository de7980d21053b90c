import SegmentedDL
import SegmentedDLOptions

/// One option of a command line, with its value.
struct GivenOption {
    let name: String
    /// The value after `=` or directly after a short option's letter.
    let attached: String?
    let next: String?
    private(set) var hasTakenNext = false
    private(set) var refusal = ""

    /// - Parameter next: The next argument.
    init(_ argument: String, next: String?) {
        self.next = next
        if argument.hasPrefix("--") {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            name = String(parts[0])
            attached = parts.count > 1 ? String(parts[1]) : nil
        } else if argument.utf8.count <= 2 {
            // The table of other tools' options takes a millisecond to read.
            (name, attached) = (argument, nil)
        } else if ForeignOption.meaning(of: argument) != nil || Self.isCluster(argument) {
            let hasDash = argument.hasSuffix("o-")
            (name, attached) = (String(argument.dropLast(hasDash ? 1 : 0)), hasDash ? "-" : nil)
        } else {
            name = String(argument.prefix(2))
            let value = argument.dropFirst(2)
            attached = value.isEmpty ? nil : String(value.hasPrefix("=") ? value.dropFirst() : value)
        }
    }

    /// True for a group of curl's flags, such as `-fsSL`, or of ours, such as `-qc`. `-o` may be the last
    /// one.
    static func isCluster(_ argument: String) -> Bool {
        // The dash is the value of -o: `-so-`.
        let letters = argument.dropFirst().dropLast(argument.hasSuffix("o-") ? 1 : 0)
        let flags =
            letters.contains("O") ? RemoteNameOption.flags + RemoteNameOption.flagsBefore : "fsSLJRgkqvcI"
        return letters.count > 1 && letters.dropLast().allSatisfy { flags.contains($0) }
            && letters.last.map { (flags + "o").contains($0) } ?? false
            && !(letters.first == "v" && Set(letters) == ["v"])
    }

    /// Returns the value; `nil` if none exists.
    mutating func takeValue() -> String? {
        hasTakenNext = attached == nil && next != nil
        return attached ?? next
    }

    mutating func translated() -> [String]? {
        // This is neither the name of a server nor a URL, so it is the file name for wget's -O.
        if isRemoteName, let next, Self.isPath(next) {
            refusal =
                "-O keeps the server's name, and takes no value. To use the name \(TextWidth.printable(next, ascii: false)) write -o \(TextWidth.printable(next, ascii: false))."
            return nil
        }
        if let sentence = MistakenLetter.sentence(name, value: attached ?? next) {
            refusal = sentence
            return nil
        }
        if name == "-h", attached != nil {
            refusal = "-h is accepted only by itself: segdl fetch --help."
            return nil
        }
        if name == "-U", let value = attached ?? next, PeerLogin.isLogin(value) {
            refusal = PeerLogin.asAgent
            return nil
        }
        if ["--bwlimit", "--limit-rate"].contains(name), (attached ?? next ?? "").contains(",") {
            refusal =
                "\(name) sets one rate for the whole run, not a schedule. For a queue, run `segdl queue limit --limit-rate RATE` from cron at those hours."
            return nil
        }
        if name == "-e", let value = attached ?? next, Self.isWgetCommand(value) {
            refusal =
                "-e is --referer here, as in curl, and its value looks like a wget command. `segdl fetch --help` shows the options; robots.txt is never read."
            return nil
        }
        if name == "--always-resume", attached == "false" {
            refusal =
                "--always-resume=false is not supported. -c --if-exists replace starts over if the file cannot be resumed."
            return nil
        }
        if name.count > 2, !name.hasPrefix("--"), Self.isCluster(name) { return translatedCluster() }
        if let special = translatedSpecially() { return special }
        if FetchOptionNames.flags.contains(name) {
            // aria2 accepts `--name=true`.
            if attached == "true" || attached == "false" { return attached == "true" ? [name] : [] }
            let separator = name.hasPrefix("--") ? "=" : ""
            return attached.map { [name + separator + $0] } ?? [name]
        }
        if FetchOptionNames.valued.contains(name) { return withValue(name) }
        switch ForeignOption.meaning(of: name) {
        case .value(let own): return withValue(own)
        case .flag(let own):
            // aria2 accepts `--name=false`.
            return attached == "false" ? [] : own
        case .isDefault: return []
        case .isDefaultWithValue:
            // Some do not need a value.
            let isValue = next.map { !$0.hasPrefix("-") && !$0.contains("://") } ?? false
            hasTakenNext = attached == nil && isValue
            return []
        case .missing(let sentence):
            refusal = "\(name) is not an option of segdl fetch. \(sentence)"
        case nil:
            refusal =
                "\(TextWidth.printable(name, ascii: false)) is not an option of segdl fetch. "
                + "`segdl fetch --help` shows them; most options of curl, wget and aria2 work as well."
        }
        return nil
    }

    /// True for curl's `-O`, which applies to one URL.
    var keepsServersName: Bool {
        guard attached == nil, !hasTakenNext else { return false }
        return name == "--remote-name" || name == "-O" || Self.isCluster(name) && name.contains("O")
    }

    /// True for an argument that is neither an option nor an address.
    private static func isPath(_ word: String) -> Bool {
        !word.hasPrefix("-") && !word.contains("://") && BareAddress.url(word) == nil
    }

    /// True for a setting such as `robots=off`, which follows wget's `-e`. A referer is a URL.
    private static func isWgetCommand(_ text: String) -> Bool {
        let name = text.prefix { $0.isLowercase || $0 == "_" || $0 == " " }
        return !name.isEmpty && text.dropFirst(name.count).hasPrefix("=")
    }

    /// True for `-O` without a value, alone or at the end of a group.
    private var isRemoteName: Bool {
        attached == nil && name.hasSuffix("O") && (name == "-O" || Self.isCluster(name))
    }

    private mutating func withValue(_ own: String) -> [String]? {
        guard let value = attached ?? next else { return [own] }
        hasTakenNext = attached == nil
        // The parser would treat a separate value as an option.
        guard attached != nil, value.hasPrefix("-"), value != "-", own.hasPrefix("--") else {
            return [own, value]
        }
        return ["\(own)=\(value)"]
    }

    /// Translates options that depend on their value.
    private mutating func translatedSpecially() -> [String]? {
        let value = attached ?? next ?? ""
        switch name {
        case "-x" where value.contains("://") || value.contains(":"): return withValue("--proxy")
        // wget's bars and dots.
        case "--progress" where value.hasPrefix("dot") || value.hasPrefix("bar:"):
            hasTakenNext = attached == nil
            return [
                "--progress", value.hasPrefix("dot") ? "plain" : value.contains("force") ? "bar" : "auto",
            ]
        case "--netrc-optional": return NetrcFile.isThere ? ["--netrc"] : []
        case "-k":
            guard value.first?.isNumber ?? false, ByteSize(argument: value) != nil else {
                return ["--insecure"]
            }
            return withValue("--min-segment-size")
        // wget's option; the value of curl's is a URL, which is never a dash.
        case "-O" where value == "-": return withValue("--output")
        // axel's progress bar; wget's option has the file name of a log.
        case "-a"
        where attached == nil && (next.map { $0 != "-" && !Self.isPath($0) } ?? true):
            return ["--progress", "bar"]
        // curl's option; wget's has no value.
        case "-m" where Double(value) != nil: return withValue("--max-time")
        case "-n": return Int(value) == nil || value.hasPrefix("-") ? ["--netrc"] : withValue("--segments")
        // curl's option, whose value may begin with a dash.
        case "--proto", "--proto-redir":
            hasTakenNext = attached == nil && next.map { !$0.hasURLScheme } ?? false
            return []
        case "-C", "--continue-at":
            guard value == "-" else { return nil }
            hasTakenNext = attached == nil
            return ["--continue"]
        case "--continue" where attached != nil: return attached == "false" ? [] : ["--continue"]
        case "--stream-piece-selector" where value == "inorder":
            hasTakenNext = attached == nil
            return ["--stream-order"]
        case "--check-certificate": return value == "false" ? ["--insecure"] : []
        case "--remote-time", "-R": return attached == "false" ? ["--no-remote-time"] : []
        case "-t", "--tries", "--max-tries":
            hasTakenNext = attached == nil && next != nil
            return ["--retries", Self.retries(ofTries: value)]
        case "-T", "--timeout":
            hasTakenNext = attached == nil && next != nil
            // In the other tool, 0 means none.
            return value == "0"
                ? ["--connect-timeout", "86400", "--low-speed-time", "0"]
                : ["--connect-timeout", value] + (Int(value) == nil ? [] : ["--low-speed-time", value])
        // In the other tool, 0 means no delay.
        case "--waitretry" where Double(value) == 0:
            hasTakenNext = attached == nil
            return ["--retry-delay", "0.001"]
        case "--no-proxy"
        where attached == nil && (next.map { $0.hasPrefix("-") || $0.contains("://") } ?? true):
            // wget's option has no value.
            return ["--no-proxy", "*"]
        // wget's option, which has no value.
        case "-b" where attached == nil && (next.map { $0.hasPrefix("-") || $0.contains("://") } ?? true):
            return nil
        case "-b", "--cookie":
            hasTakenNext = attached == nil
            return value.contains("=") ? ["--header", "Cookie: \(value)"] : ["--cookie-file", value]
        case "--bearer", "--oauth2-bearer":
            hasTakenNext = attached == nil
            return ["--header", "Authorization: Bearer \(value)"]
        default: return nil
        }
    }

    /// Returns the translation without -q, which wget's --show-progress cancels.
    func withoutQuiet(_ translated: [String]) -> [String] {
        let value = translated.suffix(hasTakenNext ? 1 : 0)
        return translated.dropLast(value.count).filter { $0 != "-q" && $0 != "--quiet" } + value
    }

    /// Returns the retries for a number of tries, of which the first one is not a retry. In the other tool, 0
    /// means infinite.
    private static func retries(ofTries text: String) -> String {
        if text == "0" || text == "inf" { return "\(Int32.max)" }
        guard let tries = Int(text), tries > 0 else { return text }
        return "\(tries - 1)"
    }

    private mutating func translatedCluster() -> [String] {
        var result: [String] = []
        var isBehindName = false
        for letter in name.dropFirst() {
            isBehindName = isBehindName || letter == "O"
            switch letter {
            // curl's flag after -O has no effect here.
            case "N" where !isBehindName: result += ["--if-exists", "update"]
            // Not with --quiet: as in curl, the bytes would be written to standard output, which a hint
            // mentions.
            case "s": result.append("--progress=none")
            case "k": result.append("--insecure")
            case "I": result.append("--dry-run")
            case "#": result += ["--progress", "bar"]
            case "q", "v", "c", "4", "6": result.append("-\(letter)")
            case "o": result += withValue("--output") ?? []
            // wget's.
            case "O" where isRemoteName && next == "-": result += withValue("--output") ?? []
            default: break
            }
        }
        return result
    }
}
