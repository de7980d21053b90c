/// An option of aria2 1.36, as its command line, its configuration file and its lists have it.
struct Aria2Option: Sendable, Equatable {
    /// The kind of value.
    enum Kind: Sendable, Equatable {
        /// `true` or `false`; `true` if the value is missing.
        case flag
        case number(ClosedRange<Int>)
        /// Bytes, with `K` or `M` behind the number for 1024 or 1048576 of them.
        case size(ClosedRange<Int>)
        case choice([String])
        case text
        /// The path of a file; `${HOME}` in it is the home directory.
        case path
        /// A digest, as `sha-256=HEX`.
        case checksum
        /// A text that may be missing.
        case optional
        /// A text; the option may be repeated.
        case list
        /// No value.
        case command
    }

    /// The part of the work that the option changes.
    enum Scope: Sendable, Equatable {
        /// One file; a list may give each file its own value.
        case file
        /// The whole run.
        case run
        /// The daemon.
        case daemon
        /// Nothing here: it tunes the inside of aria2, or is for protocols that segdl does not have.
        case nothing
        /// It asks for work that segdl does not do: the sentence says what to do instead.
        case missing(String)
    }

    /// The long name, without the dashes.
    let name: String
    /// The letter of the short form.
    let short: String?
    let kind: Kind
    /// aria2's default.
    let usual: String?
    let scope: Scope

    /// Makes an option from a line of the table: its name, its letter or `-`, its kind, its default.
    ///
    /// - Returns: `nil` for a line of another form.
    init?(_ line: Substring, _ scope: Scope) {
        let fields = line.split(separator: " ").map(String.init)
        guard fields.count >= 3, let kind = Kind(fields[2]) else { return nil }
        name = fields[0]
        short = fields[1] == "-" ? nil : fields[1]
        self.kind = kind
        usual = fields.count > 3 ? fields[3] : kind == .flag ? "false" : nil
        self.scope = scope
    }

    /// The value of an option that stands alone; `nil` if it must have one.
    var valueAlone: String? {
        switch kind {
        case .flag: "true"
        case .optional, .command: ""
        default: nil
        }
    }
}

extension Aria2Option.Kind {
    /// Reads a kind of the table: `flag`, `number:1..16`, `size:0..`, `choice:a,b`.
    fileprivate init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        let details = parts.count > 1 ? parts[1] : ""
        switch parts.first {
        case "flag": self = .flag
        case "number": self = .number(Self.range(details))
        case "size": self = .size(Self.range(details))
        case "choice": self = .choice(details.split(separator: ",").map(String.init))
        case "text": self = .text
        case "path": self = .path
        case "checksum": self = .checksum
        case "optional": self = .optional
        case "list": self = .list
        case "command": self = .command
        default: return nil
        }
    }

    /// Reads `1..16`, or `1..` for no upper bound.
    private static func range(_ text: String) -> ClosedRange<Int> {
        let bounds = text.split(separator: ".").compactMap { Int($0) }
        let lower = bounds.first ?? 0
        return lower...(bounds.count > 1 ? max(lower, bounds[1]) : .max)
    }
}
