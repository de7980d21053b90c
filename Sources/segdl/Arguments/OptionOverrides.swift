import SegmentedDLOptions

/// Options that restate a default, such as aria2's `--allow-overwrite=false`. They are not passed to the
/// parser, and they cancel earlier options that contradict them.
enum OptionOverrides {
    /// Options of other tools that restate a default of segdl if they have no value or the value `true`, with
    /// their opposites.
    private static let defaults = [
        "--check-certificate": "--check-certificate=false", "--remote-time": "--remote-time=false",
        "-R": "--remote-time=false", "--use-server-timestamps": "--remote-time=false",
        "--no-netrc": "--netrc", "--http2": "--http1.1",
    ]

    /// Synonyms of these opposites.
    private static let synonyms = [
        "--check-certificate=false": ["--insecure", "--no-check-certificate"],
        "--remote-time=false": ["--no-remote-time", "--no-use-server-timestamps"],
    ]

    /// Returns the opposite of an argument that restates a default; `nil` for any other.
    private static func opposite(of argument: String) -> String? {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let value = parts.count > 1 ? String(parts[1]) : nil
        if let opposite = defaults[name] { return value == nil || value == "true" ? opposite : nil }
        guard value == "false", FetchOptionNames.flags.contains(name) || isFlag(name) else { return nil }
        return "\(name)=true"
    }

    private static func isFlag(_ name: String) -> Bool {
        if case .flag = ForeignOption.meaning(of: name) { true } else { false }
    }

    private static func options(_ arguments: ArraySlice<String>) -> ArraySlice<String> {
        arguments.prefix { $0 != "--" }
    }

    /// Returns the arguments except those that later ones cancel.
    static func resolved(_ arguments: [String]) -> [String] {
        var result = arguments
        for (index, argument) in options(arguments[...]).enumerated().reversed() {
            guard let opposite = opposite(of: argument) else { continue }
            let names =
                synonyms[opposite] ?? (opposite.hasSuffix("=true") ? [String(opposite.dropLast(5))] : [])
            for earlier in 0..<index where (names + [opposite]).contains(arguments[earlier]) {
                result[earlier] = ""
            }
        }
        return zip(arguments, result).filter { $0 == $1 }.map(\.0)
    }

    /// Returns our options that arguments cancel, in stored form, without their locations.
    static func stored(by arguments: some Sequence<String>) -> Set<String> {
        let fetch = CommandOptions(of: Fetch.self)
        var taken: Set<String> = []
        for opposite in arguments.compactMap(opposite) {
            guard case .arguments(let own) = ArgumentTranslation.translate(["fetch", opposite]) else {
                continue
            }
            taken.formUnion(
                fetch.given(in: own.dropFirst()).options.map { key(fetch.longName(of: $0.name), $0.value) })
        }
        return taken
    }

    /// Returns the form of an option in `stored(by:)`.
    static func key(_ longName: String, _ value: String?) -> String {
        // A flag that is true needs no value.
        value.map { $0 == "true" ? longName : "\(longName)=\($0)" } ?? longName
    }

    /// aria2's options for existing files, in the order of their precedence (aria2c(1)).
    private static let ofExisting = ["--conditional-get", "--allow-overwrite", "--auto-file-renaming"]

    /// Returns true if one of aria2's options for existing files has no effect alongside others.
    ///
    /// - Parameter arguments: All options of its source.
    static func isOverruled(_ name: String, by arguments: some Sequence<String>) -> Bool {
        guard let rank = ofExisting.firstIndex(of: name) else { return false }
        let stronger = ofExisting[..<rank]
        return arguments.contains { argument in
            stronger.contains { argument == $0 || argument == "\($0)=true" }
        }
    }

    /// Returns the options of a command line before its first `--`.
    static func typed(_ arguments: [String]) -> [String] { Array(options(arguments[...])) }
}
