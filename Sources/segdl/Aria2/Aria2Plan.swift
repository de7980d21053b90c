import SegmentedDLOptions

/// The files requested by an aria2 command line, with the values of all options.
struct Aria2Plan: Sendable {
    /// The options of the run; each download also has its own.
    var values: Aria2Values
    private(set) var downloads: [Aria2Download] = []
    /// Ignored lines, with the level of their messages.
    private(set) var remarks: [Aria2Remark] = []
    /// The names of given options without effect here.
    private(set) var withoutEffect: Set<String> = []

    /// - Parameters:
    ///   - values: The options of the run.
    ///   - uris: The URIs of the command line.
    ///   - list: The list of `--input-file`; aria2 then ignores the command line's URIs.
    /// - Throws: `Aria2Failure` with status 1 for an invalid URI on the command line.
    init(_ values: Aria2Values, uris: [String], list: Aria2List?) throws(Aria2Failure) {
        self.values = values
        withoutEffect = Set(values.withoutEffect)
        if let list {
            try add(list)
        } else {
            try add(uris)
        }
    }

    /// True if a line of the list is not a URI.
    var hasErrors: Bool { remarks.contains { $0.level == .error } }

    /// Adds a message about ignored input.
    mutating func remark(_ level: Aria2Level, _ text: String) {
        remarks.append(Aria2Remark(level: level, text: text))
    }

    private mutating func add(_ uris: [String]) throws(Aria2Failure) {
        let expanded = try Self.expand(uris, values)
        if let wrong = expanded.first(where: { !Aria2Download.isRecognized($0) }) {
            throw Aria2Failure(message: Self.unrecognized(wrong), status: 1)
        }
        if values.flag("force-sequential") {
            for uri in expanded { downloads.append(try Aria2Download([uri], values.ofSeveral)) }
        } else if !expanded.isEmpty {
            downloads.append(try Aria2Download(expanded, values))
        }
    }

    private mutating func add(_ list: Aria2List) throws(Aria2Failure) {
        for line in list.unknown { remark(.warn, "Unknown option: \(line)") }
        for entry in list.entries {
            let values = values.ofSeveral.overridden(by: entry.values)
            withoutEffect.formUnion(values.withoutEffect)
            var uris: [String] = []
            for uri in try Self.expand(entry.uris, values) {
                if Aria2Download.isRecognized(uri) {
                    uris.append(uri)
                } else {
                    remark(.error, Self.unrecognized(uri))
                }
            }
            guard !uris.isEmpty else { continue }
            let isSequential = self.values.flag("force-sequential")
            for group in isSequential ? uris.map({ [$0] }) : [uris] {
                var download = try Aria2Download(group, values)
                download.fault = Self.fault(of: entry.values)
                downloads.append(download)
            }
        }
    }

    private static func expand(_ uris: [String], _ values: Aria2Values) throws(Aria2Failure) -> [String] {
        guard values.flag("parameterized-uri") else { return uris }
        var expanded: [String] = []
        for uri in uris { expanded += try Aria2URIPattern.expand(uri) }
        return expanded
    }

    /// A file must not be downloaded through a proxy other than the one that its list requests.
    private static func fault(of values: Aria2Values) -> String? {
        values.given.keys.filter { Aria2Proxies.names.contains($0) }.min().map {
            "--\($0) cannot differ per file; give it on the command line."
        }
    }

    private static func unrecognized(_ uri: String) -> String {
        "Unrecognized URI or unsupported protocol: \(TextWidth.printable(uri, ascii: false))"
    }
}

extension Aria2Values {
    /// The values without those that apply to only one file (aria2's manual, --out and --gid).
    fileprivate var ofSeveral: Aria2Values { without(["out", "gid"]) }
}
