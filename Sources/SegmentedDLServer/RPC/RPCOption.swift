/// An option of aria2 that a caller may set, by its name in aria2's manual.
struct RPCOption: Sendable {
    enum Kind: Sendable {
        case text
        case flag
        /// A whole number in a range.
        case number(ClosedRange<Int>)
        /// Bytes, with `K` or `M` behind the number for 1024 or 1048576 of them.
        case size
        case choice([String])
        /// Several texts, or one with a line for each.
        case list
    }

    let name: String
    let kind: Kind
    /// aria2's default; `nil` if it has none.
    let usual: String?
    /// The same option of the daemon can be changed, for downloads that are added later.
    let isGlobal: Bool

    private init(_ name: String, _ kind: Kind, _ usual: String? = nil, isGlobal: Bool = true) {
        self.name = name
        self.kind = kind
        self.usual = usual
        self.isGlobal = isGlobal
    }

    private static let positive = Kind.number(1...Int(Int32.max))
    private static let natural = Kind.number(0...Int(Int32.max))

    /// The options that this daemon acts on.
    private static let effective: [RPCOption] = [
        RPCOption("allow-overwrite", .flag, "false"),
        RPCOption("auto-file-renaming", .flag, "true"), RPCOption("checksum", .text, isGlobal: false),
        RPCOption("conditional-get", .flag, "false"), RPCOption("continue", .flag, "false"),
        RPCOption("dir", .text), RPCOption("gid", .text, isGlobal: false), RPCOption("header", .list),
        RPCOption("http-passwd", .text), RPCOption("http-user", .text),
        RPCOption("max-connection-per-server", .number(1...16)), RPCOption("max-download-limit", .size, "0"),
        RPCOption("out", .text, isGlobal: false), RPCOption("pause", .flag, "false", isGlobal: false),
        RPCOption("referer", .text), RPCOption("remote-time", .flag, "true"), RPCOption("split", positive),
        RPCOption("user-agent", .text),
    ]

    /// Options that are kept and shown, and change nothing: the daemon decides these itself.
    private static let kept: [RPCOption] = [
        // Another value would be passed over silently.
        RPCOption("all-proxy", .choice([""]), ""), RPCOption("http-proxy", .choice([""]), ""),
        RPCOption("https-proxy", .choice([""]), ""), RPCOption("dry-run", .choice(["false"]), "false"),
        RPCOption("hash-check-only", .choice(["false"]), "false"),
        RPCOption("always-resume", .flag, "true"), RPCOption("async-dns", .flag, "true"),
        RPCOption("connect-timeout", .number(1...600), "30"),
        RPCOption("enable-http-keep-alive", .flag, "true"),
        RPCOption("file-allocation", .choice(["none", "prealloc", "trunc", "falloc"]), "falloc"),
        RPCOption("http-accept-gzip", .flag, "false"), RPCOption("lowest-speed-limit", .size, "0"),
        RPCOption("max-file-not-found", natural, "0"), RPCOption("max-resume-failure-tries", natural, "0"),
        RPCOption("max-tries", natural, "7"), RPCOption("max-upload-limit", .size, "0"),
        RPCOption("min-split-size", .size, "1048576"), RPCOption("piece-length", .size, "1048576"),
        RPCOption("realtime-chunk-checksum", .flag, "true"), RPCOption("retry-wait", .number(0...600), "0"),
        RPCOption("reuse-uri", .flag, "true"), RPCOption("stream-piece-selector", .text, "default"),
        RPCOption("timeout", .number(1...600), "20"), RPCOption("uri-selector", .text, "feedback"),
        RPCOption("use-head", .flag, "false"), RPCOption("check-integrity", .flag, "true"),
        RPCOption("no-netrc", .flag, "true"),
        RPCOption("parameterized-uri", .flag, "false"), RPCOption("remove-control-file", .flag, "false"),
        RPCOption("force-save", .flag, "true"), RPCOption("bt-save-metadata", .flag, "false"),
        RPCOption("follow-torrent", .text, "false"), RPCOption("follow-metalink", .text, "false"),
        RPCOption("seed-time", .text, "0"), RPCOption("seed-ratio", .text, "0"),
        RPCOption("select-file", .text),
    ]

    static let all: [String: RPCOption] = Dictionary(
        uniqueKeysWithValues: (effective + kept).map { ($0.name, $0) })

    /// Options that no caller may set: they name files or programs of this machine, or the rules for callers.
    static func isForbidden(_ name: String) -> Bool {
        let names: Set<String> = [
            "log", "save-session", "save-cookies", "load-cookies", "input-file", "conf-path", "netrc-path",
            "ca-certificate", "certificate", "private-key", "server-stat-of", "server-stat-if", "daemon",
            "enable-rpc", "dht-file-path", "dht-file-path6", "check-certificate",
        ]
        return names.contains(name) || name.hasPrefix("on-") || name.hasPrefix("rpc-")
    }

    /// Reads the values of an option.
    ///
    /// - Returns: `nil` for a value of another type, which aria2 passes over.
    /// - Throws: `RPCFailure` with aria2's words for a value that makes no sense.
    func values(_ value: JSONValue) throws(RPCFailure) -> [String]? {
        let texts: [String]
        if case .list = kind, let elements = value.elements {
            texts = elements.compactMap(\.text)
        } else if let text = value.text {
            if case .list = kind {
                texts = text.split(whereSeparator: \.isNewline).map(String.init)
            } else {
                texts = [text]
            }
        } else {
            return nil
        }
        for text in texts {
            guard !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" }), isSensible(text)
            else {
                throw RPCFailure("We encountered a problem while processing the option '--\(name)'.")
            }
        }
        return texts.map(normalized)
    }

    private func isSensible(_ text: String) -> Bool {
        switch kind {
        case .text, .list: true
        case .flag: text == "true" || text == "false" || text.isEmpty
        case .number(let range): Int(text).map(range.contains) ?? false
        case .size: Self.bytes(text) != nil
        case .choice(let choices): choices.contains(text)
        }
    }

    private func normalized(_ text: String) -> String {
        switch kind {
        case .size: Self.bytes(text).map { String($0) } ?? text
        // As on aria2's command line, where a flag alone is true.
        case .flag where text.isEmpty: "true"
        default: text
        }
    }

    /// Reads `300`, `300K` or `3M`.
    static func bytes(_ text: String) -> Int64? {
        let factor: Int64 =
            switch text.last {
            case "k", "K": 1 << 10
            case "m", "M": 1 << 20
            default: 1
            }
        let digits = factor == 1 ? text[...] : text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(digits)
        else { return nil }
        let (bytes, isTooMuch) = number.multipliedReportingOverflow(by: factor)
        return isTooMuch ? nil : bytes
    }
}
