import SegmentedDLOptions

extension Aria2Option {
    /// Returns the effective value.
    ///
    /// - Parameter home: The home directory.
    /// - Throws: `Aria2Failure` with aria2's message if the value is invalid.
    func checked(_ value: String, home: String?) throws(Aria2Failure) -> String {
        if let reason = fault(in: value) {
            throw Aria2Failure(
                message: "We encountered a problem while processing the option '--\(name)'.\n  -> \(reason)")
        }
        return kind == .path ? Self.expanded(value, home: home) : value
    }

    /// Replaces `${HOME}` with the home directory (aria2's manual, aria2.conf).
    private static func expanded(_ text: String, home: String?) -> String {
        let variable = "${HOME}"
        guard let home, let range = text.firstRange(of: variable) else { return text }
        let rest = expanded(String(text[range.upperBound...]), home: home)
        return "\(text[..<range.lowerBound])\(home)\(rest)"
    }
}

extension Aria2Values {
    /// - Parameter home: The home directory.
    /// - Throws: `Aria2Failure` if the value is invalid, or if segdl lacks the feature.
    mutating func set(_ option: Aria2Option, _ text: String, home: String?) throws(Aria2Failure) {
        let value = try option.checked(text, home: home)
        if case .missing(let remedy) = option.scope, value != "false" {
            throw Aria2Failure(message: "segdl does not have aria2's --\(option.name). \(remedy)")
        }
        if option.kind == .list {
            given[option.name, default: []].append(value)
        } else {
            given[option.name] = [value]
        }
    }
}

extension Aria2Options {
    /// Returns the option with a long name, or with an unambiguous prefix of it, like getopt_long(3).
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

    /// Returns the option with a letter.
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
