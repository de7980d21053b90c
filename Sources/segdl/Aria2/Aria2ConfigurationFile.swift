import SegmentedDLOptions

/// aria2's configuration file: each line is NAME=VALUE, or a comment after # (aria2's manual, aria2.conf).
enum Aria2ConfigurationFile {
    struct Content: Equatable {
        var values = Aria2Values()
        /// The lines with options unknown to aria2.
        var unknown: [String] = []
    }

    /// Reads the file given on the command line, otherwise the user's file, if it exists.
    ///
    /// - Throws: `Aria2Failure`, with status 1 if the file given on the command line cannot be read.
    static func read(
        _ arguments: Aria2Values, environment: (String) -> String?
    ) throws(Aria2Failure) -> Content {
        if arguments.flag("no-conf") { return Content() }
        let home = environment("HOME")
        if let path = arguments.nonEmpty("conf-path") {
            guard let text = try? TextFile.read(path) else {
                throw Aria2Failure(message: "Configuration file \(path) is not found.", status: 1)
            }
            return try parse(text, path: path, home: home)
        }
        for path in usual(environment) {
            if let text = try? TextFile.read(path) { return try parse(text, path: path, home: home) }
        }
        return Content()
    }

    /// The possible paths of the user's file, in order of precedence.
    private static func usual(_ environment: (String) -> String?) -> [String] {
        let home = environment("HOME") ?? ""
        let settings = environment("XDG_CONFIG_HOME").flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/.config"
        return ["\(home)/.aria2/aria2.conf", "\(settings)/aria2/aria2.conf"]
    }

    /// - Throws: `Aria2Failure` for an invalid value.
    static func parse(_ text: String, path: String, home: String?) throws(Aria2Failure) -> Content {
        var content = Content()
        for line in text.split(whereSeparator: \.isNewline) {
            let line = InputList.trimmed(line)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = InputList.trimmed(parts[0])
            guard parts.count == 2, let option = Aria2Options.named[name] else {
                content.unknown.append(line)
                continue
            }
            do {
                try content.values.set(option, InputList.trimmed(parts[1]), home: home)
            } catch {
                throw Aria2Failure(
                    message: "Parse error in \(path)\n\(error.message)", status: error.status)
            }
        }
        return content
    }
}
