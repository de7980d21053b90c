/// All options of aria2 1.36.
package enum Aria2Options {
    package static let all: [Aria2Option] = {
        var options = read(Aria2OptionTable.ofFile, .file)
        options += read(Aria2OptionTable.ofRun, .run)
        options += read(Aria2OptionTable.ofDaemon, .daemon)
        options += read(Aria2OptionTable.withoutEffect, .nothing)
        for line in Aria2OptionTable.missing.split(separator: "\n") {
            let name = String(line.prefix { $0 != " " })
            let remedy = Aria2Option.remedies[name] ?? ""
            if let option = Aria2Option(line, .missing(remedy)) { options.append(option) }
        }
        return options
    }()

    /// The options by long name.
    package static let named: [String: Aria2Option] = Dictionary(
        all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The options by letter.
    package static let lettered: [String: Aria2Option] = Dictionary(
        all.compactMap { option in option.short.map { ($0, option) } },
        uniquingKeysWith: { first, _ in first })

    private static func read(_ table: String, _ scope: Aria2Option.Scope) -> [Aria2Option] {
        table.split(separator: "\n").compactMap { Aria2Option($0, scope) }
    }
}
