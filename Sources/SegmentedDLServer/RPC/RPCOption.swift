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
        /// Only aria2's default, which asks for nothing; the sentence says how the daemon gets another value.
        case fixed(String)
        /// Several texts, or one with a line for each.
        case list
    }

    let name: String
    let kind: Kind
    /// aria2's default; `nil` if it has none.
    var usual: String?
    /// The same option of the daemon can be changed, for downloads that are added later.
    let isGlobal: Bool

    /// False for an option of the daemon alone, which a download does not show.
    let isOfDownload: Bool

    init(
        _ name: String, _ kind: Kind, _ usual: String? = nil, isGlobal: Bool = true, isOfDownload: Bool = true
    ) {
        self.name = name
        self.kind = kind
        self.usual = usual
        self.isGlobal = isGlobal
        self.isOfDownload = isOfDownload
    }

    var isList: Bool { if case .list = kind { true } else { false } }

    var isFixed: Bool { if case .fixed = kind { true } else { false } }

    /// True for an option that a caller must not set: it names files or programs of this machine, or the
    /// rules for callers. Clients may send aria2's default of one, which asks for nothing.
    static func isForbidden(_ name: String, _ value: JSONValue) -> Bool {
        guard names.contains(name) || name.hasPrefix("on-") || name.hasPrefix("rpc-") else { return false }
        guard let text = value.text, !text.isEmpty else { return value.text == nil }
        return defaultsOfForbidden[name]?.contains(text) != true
    }

    private static let names: Set<String> = [
        "log", "save-session", "save-cookies", "load-cookies", "input-file", "conf-path", "netrc-path",
        "ca-certificate", "certificate", "private-key", "server-stat-of", "server-stat-if", "daemon",
        "enable-rpc", "dht-file-path", "dht-file-path6", "metalink-file", "torrent-file",
    ]

    private static let defaultsOfForbidden: [String: Set<String>] = [
        "daemon": ["false"], "enable-rpc": ["true"], "rpc-allow-origin-all": ["false"],
        "rpc-listen-all": ["false"], "rpc-listen-port": ["6800"], "rpc-secure": ["false"],
        "rpc-max-request-size": ["2M", "2097152"], "rpc-save-upload-metadata": ["true", "false"],
    ]

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
                texts = text.split { $0 == "\n" || $0 == "\r\n" }.map(String.init)
            } else {
                texts = [text]
            }
        } else {
            return nil
        }
        for text in texts {
            guard !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" }), isSensible(text)
            else {
                throw RPCFailure(
                    "We encountered a problem while processing the option '--\(name)'.\(remedy)")
            }
        }
        return texts.map(normalized)
    }

    private var remedy: String {
        if case .fixed(let remedy) = kind { " \(remedy)" } else { "" }
    }

    private func isSensible(_ text: String) -> Bool {
        switch kind {
        case .text, .list: true
        case .flag: text == "true" || text == "false" || text.isEmpty
        case .number(let range): Int(text).map(range.contains) ?? false
        case .size: Self.bytes(text) != nil
        case .choice(let choices): choices.contains(text)
        case .fixed: text == usual || text.isEmpty
        }
    }

    private func normalized(_ text: String) -> String {
        switch kind {
        case .size: Self.bytes(text).map { String($0) } ?? text
        // As on aria2's command line, where a flag alone is true.
        case .flag where text.isEmpty: "true"
        case .fixed: usual ?? text
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
