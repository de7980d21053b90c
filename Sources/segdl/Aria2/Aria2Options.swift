/// All options of aria2 1.36, and their names on the command line.
enum Aria2Options {
    static let all: [Aria2Option] = {
        var options = read(Aria2OptionTable.ofFile, .file)
        options += read(Aria2OptionTable.ofRun, .run)
        options += read(Aria2OptionTable.ofDaemon, .daemon)
        options += read(Aria2OptionTable.withoutEffect, .nothing)
        for line in Aria2OptionTable.missing.split(separator: "\n") {
            let name = String(line.prefix { $0 != " " })
            let remedy = Aria2OptionTable.remedies[name] ?? ""
            if let option = Aria2Option(line, .missing(remedy)) { options.append(option) }
        }
        return options
    }()

    static let named: [String: Aria2Option] = Dictionary(
        all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    private static let lettered: [String: Aria2Option] = Dictionary(
        all.compactMap { option in option.short.map { ($0, option) } },
        uniquingKeysWith: { first, _ in first })

    private static func read(_ table: String, _ scope: Aria2Option.Scope) -> [Aria2Option] {
        table.split(separator: "\n").compactMap { Aria2Option($0, scope) }
    }

    /// Returns the option of a long name, or of its beginning if no other option begins so, as
    /// getopt_long(3) has it.
    static func long(_ name: String) throws(Aria2Failure) -> Aria2Option {
        if let option = named[name] { return option }
        let candidates = all.filter { $0.name.hasPrefix(name) }
        guard let first = candidates.first else { throw usage("unrecognized option '--\(shown(name))'") }
        guard candidates.count == 1 else {
            let names = candidates.map { "'--\($0.name)'" }.sorted().joined(separator: " ")
            throw usage("option '--\(shown(name))' is ambiguous; possibilities: \(names)")
        }
        return first
    }

    /// Returns the option of a letter.
    static func short(_ letter: String) throws(Aria2Failure) -> Aria2Option {
        guard let option = lettered[letter] else { throw usage("invalid option -- '\(shown(letter))'") }
        return option
    }

    static func usage(_ reason: String) -> Aria2Failure {
        Aria2Failure(
            message: """
                aria2c: \(reason)
                Usage: aria2c [OPTIONS] URI...
                See 'aria2c -h'.
                """)
    }

    private static func shown(_ text: String) -> String { TextWidth.printable(text, ascii: false) }
}
