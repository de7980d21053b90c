/// An aria2 1.36 option, as accepted on its command line, in its files and lists, and by its RPC.
package struct Aria2Option: Sendable, Equatable {
    /// The kind of value.
    package enum Kind: Sendable, Equatable {
        /// `true` or `false`; `true` if the value is missing.
        case flag
        case number(ClosedRange<Int>)
        /// A number of bytes, optionally with the suffix `K` or `M` (1024 or 1048576).
        case size(ClosedRange<Int64>)
        case choice([String])
        case text
        /// The path of a file; `${HOME}` in it is the home directory.
        case path
        /// A digest, such as `sha-256=HEX`.
        case checksum
        /// Optional text.
        case optional
        /// Text; the option may be repeated.
        case list
        /// No value.
        case command
    }

    /// The subject that the option applies to.
    package enum Scope: Sendable, Equatable {
        /// One file; a list may give each file its own value.
        case file
        /// The whole run.
        case run
        /// The daemon.
        case daemon
        /// Nothing here: it tunes aria2's internals, or applies to protocols that segdl does not support.
        case nothing
        /// A feature that segdl does not have; the sentence gives the alternative.
        case missing(String)
    }

    /// How the option is handled in a call to a daemon.
    package struct Call: Sendable, Equatable {
        /// The daemon's default; `nil` if it has none.
        package let usual: String?
        /// True if the daemon's own value can be changed, for downloads added later.
        package let isGlobal: Bool
        /// False for an option of the daemon itself, which is not shown for downloads.
        package let isOfDownload: Bool
        /// Only the default is accepted, which has no effect; the sentence explains how to set another value
        /// for the daemon.
        package let remedy: String?
    }

    /// The long name, without the dashes.
    package let name: String
    /// The letter of the short option.
    package let short: String?
    package let kind: Kind
    /// aria2's default.
    package let usual: String?
    package let scope: Scope
    /// `nil` for an option that calls cannot set.
    package private(set) var call: Call?
    /// True for an option that segdl's own lists ignore, because it controls aria2's transfers.
    package private(set) var isPassedOverInLists = false
    /// True for an option that segdl's own lists accept with aria2's meaning.
    package private(set) var isInLists = false
    /// True for a flag for which a mirror's list accepts only the default.
    package private(set) var isRefusedByMirrors = false
    /// The values that a caller may send although only the machine's owner may set the option; they have no
    /// effect. `nil` for an option that any caller may set.
    package private(set) var harmlessValues: [String]?
    /// The equivalent in `segdl fetch`; `nil` for an option that it has itself or does not know.
    package private(set) var meaning: ForeignOption.Meaning?

    /// Parses an option from a line of the table. The words after the bar are:
    ///
    /// - `list`: segdl's own lists ignore the option. `listed`: they accept it. `unmirrored`: mirrors refuse
    ///   it.
    /// - `call`: a call may set it, and the default is aria2's; with `:VALUE` the default is that value, and
    ///   with `:none` there is none. `fixed` is the same, except that only the default is accepted.
    /// - `one`: it applies to one download, and not to all that are added later. `process`: it is not shown
    ///   for downloads.
    /// - `owner`: only the owner of the daemon's machine may set it; after a colon, values without effect.
    /// - `fetch:--NAME`: the name in `segdl fetch`, with the value; `fetch:default` takes a value that has no
    ///   effect. `fetch=WORD,WORD` is a flag that is replaced by these words, and `fetch=default` one without
    ///   effect. `fetch=missing`: see `notes`.
    ///
    /// - Returns: `nil` if the line is malformed.
    init?(_ line: Substring, _ scope: Scope) {
        let halves = line.split(separator: "|", maxSplits: 1)
        let fields = halves[0].split(separator: " ").map(String.init)
        guard fields.count >= 3, let kind = Kind(fields[2]) else { return nil }
        name = fields[0]
        short = fields[1] == "-" ? nil : fields[1]
        self.kind = kind
        usual = fields.count > 3 ? fields[3] : kind == .flag ? "false" : nil
        self.scope = scope
        let words = halves.count > 1 ? halves[1].split(separator: " ") : []
        for word in words { take(word, words) }
    }

    private mutating func take(_ word: Substring, _ all: [Substring]) {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? String(parts[1]) : nil
        switch parts[0] {
        case "list": isPassedOverInLists = true
        case "listed": isInLists = true
        case "unmirrored": isRefusedByMirrors = true
        case "call", "fixed":
            call = Call(
                usual: value == "none" ? nil : value ?? usual.map(normalized),
                isGlobal: !all.contains("one"), isOfDownload: !all.contains("process"),
                remedy: parts[0] == "fixed" ? Self.notesOfCalls[name] : nil)
        case "owner": harmlessValues = value.map { $0.split(separator: ",").map(String.init) } ?? []
        case "fetch": meaning = value == "default" ? .isDefaultWithValue : value.map { .value($0) }
        case "fetch=default": meaning = .isDefault
        case "fetch=missing": meaning = Self.notes[name].map { .missing($0) }
        case let word where word.hasPrefix("fetch="):
            meaning = .flag(word.dropFirst("fetch=".count).split(separator: ",").map(String.init))
        default: break
        }
    }

    /// The value of an option that is given alone; `nil` if it requires one.
    package var valueAlone: String? {
        switch kind {
        case .flag: "true"
        case .optional, .command: ""
        default: nil
        }
    }

    /// The name of segdl's option with the same meaning; `nil` if it has none.
    package var ownName: String? {
        switch meaning {
        case .value(let name): name
        case .flag(let words): words.first
        default: nil
        }
    }

    /// Returns a default as shown by the RPC: sizes in bytes.
    package func normalized(_ value: String) -> String {
        if case .size = kind { ByteSize.aria2(value).map { String($0.bytes) } ?? value } else { value }
    }
}

extension Aria2Option.Kind {
    /// Parses a kind in the table: `flag`, `number:1..16`, `size:0..`, `choice:a,b`.
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

    /// Parses `1..16`, or `1..` for no upper bound.
    private static func range<Number: FixedWidthInteger>(_ text: String) -> ClosedRange<Number> {
        let bounds = text.split(separator: ".").compactMap { Number($0) }
        let lower = bounds.first ?? 0
        return lower...(bounds.count > 1 ? max(lower, bounds[1]) : .max)
    }
}
