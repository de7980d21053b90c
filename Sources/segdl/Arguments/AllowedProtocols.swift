import SegmentedDL

/// The protocols that curl's `--proto` and `--proto-redir` allow.
struct AllowedProtocols {
    /// The lists of the last options.
    private var (ofURLs, ofRedirects) = ("", "")

    /// Records the list of an option with one of these names.
    mutating func note(_ option: String, _ list: String?) {
        switch option {
        case "--proto": ofURLs = list ?? ""
        case "--proto-redir": ofRedirects = list ?? ""
        default: break
        }
    }

    /// Returns a sentence if segdl would use a protocol that an option forbids; otherwise `nil`.
    ///
    /// - Parameters:
    ///   - arguments: The arguments in our notation.
    ///   - urls: The URLs among them.
    func refusal(_ arguments: [String], urls: [String]) -> String? {
        let mirrors = zip(arguments, arguments.dropFirst()).filter { $0.0 == "--mirror" }.map(\.1)
        let plain = (urls + mirrors).first(where: Self.isPlainHTTP)
        let shown = plain.map { TextWidth.printable($0, ascii: false) } ?? ""
        let allowsURLs = Self.include("http", ofURLs)
        let allowsRedirects = Self.include("http", ofRedirects)
        let option = allowsURLs ? "--proto-redir" : "--proto"
        if !Self.include("https", ofRedirects) {
            return
                "--proto-redir forbids redirects to https, which segdl follows; use --max-redirects 0 instead, to follow none."
        }
        if !allowsURLs, plain != nil {
            return "--proto forbids http, which '\(shown)' implies; write it with https://."
        }
        if !allowsRedirects, plain != nil {
            return
                "--proto-redir forbids redirects to http, which segdl follows from '\(shown)'; write it with https://."
        }
        // From https, segdl follows no redirect to http.
        guard !(allowsURLs && allowsRedirects) else { return nil }
        if arguments.contains("--insecure-redirects") {
            return
                "\(option) forbids the redirects to http that --insecure-redirects allows; give one of them."
        }
        guard arguments.contains("-i") || arguments.contains("--input") else { return nil }
        return
            "\(option) forbids http, but the URLs of a list are not checked; remove it if each of them begins with https://."
    }

    private static func isPlainHTTP(_ url: String) -> Bool {
        url.lowercased().hasPrefix("http://") || BareAddress.url(url) != nil
    }

    /// Returns true if a list includes a protocol.
    ///
    /// - Parameter list: For example `=https` or `-all,https`: each part allows a protocol, forbids it with a
    ///   minus, or allows only it with an equals sign (curl's manual, --proto).
    private static func include(_ scheme: String, _ list: String) -> Bool {
        var allows = true
        for part in list.lowercased().split(separator: ",") {
            let name = part.drop { "+-=".contains($0) }
            let isIncluded = name == scheme || name == "all"
            switch part.first {
            case "=": allows = isIncluded
            case "-": allows = allows && !isIncluded
            default: allows = allows || isIncluded
            }
        }
        return allows
    }
}
