import SegmentedDLOptions

/// The arguments of aria2's command line, parsed like getopt_long(3): options may follow URIs.
struct Aria2Arguments: Equatable {
    struct Given: Equatable {
        let option: Aria2Option
        let value: String
    }

    private(set) var options: [Given] = []
    private(set) var uris: [String] = []

    /// - Throws: `Aria2Failure` for an unknown option or a missing value.
    init(_ arguments: [String]) throws(Aria2Failure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                uris += rest
                return
            } else if argument.hasPrefix("--") {
                try takeLong(argument.dropFirst(2), &rest)
            } else if argument.hasPrefix("-"), argument != "-" {
                try takeShort(argument.dropFirst(), &rest)
            } else {
                uris.append(argument)
            }
        }
    }

    private mutating func takeLong(
        _ text: Substring, _ rest: inout ArraySlice<String>
    ) throws(Aria2Failure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let option = try Aria2Options.long(String(parts[0]))
        if parts.count > 1 {
            guard option.kind != .command else {
                throw Aria2Options.usage("option '--\(option.name)' doesn't allow an argument")
            }
            options.append(Given(option: option, value: String(parts[1])))
        } else if let value = option.valueAlone ?? rest.popFirst() {
            options.append(Given(option: option, value: value))
        } else {
            throw Aria2Options.usage("option '--\(option.name)' requires an argument")
        }
    }

    /// Parses a group of short options: only the last one can have a value.
    private mutating func takeShort(
        _ text: Substring, _ rest: inout ArraySlice<String>
    ) throws(Aria2Failure) {
        var letters = text
        while let letter = letters.popFirst() {
            let option = try Aria2Options.short(String(letter))
            if option.kind == .command {
                options.append(Given(option: option, value: ""))
                continue
            }
            let attached = letters.isEmpty ? option.valueAlone : String(letters)
            guard let value = attached ?? rest.popFirst() else {
                throw Aria2Options.usage("option requires an argument -- '\(letter)'")
            }
            options.append(Given(option: option, value: value))
            return
        }
    }
}

/// Why an aria2 command line cannot be executed.
struct Aria2Failure: Error, Equatable {
    /// aria2's status for an invalid option or value (aria2's manual, EXIT STATUS).
    static let wrongOption: Int32 = 28

    /// Complete lines for the user, without the last newline.
    let message: String
    var status = Self.wrongOption
}
