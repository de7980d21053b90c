/// The reason in the body of a refusal, as one line for users: the first line of a text, the message in JSON
/// (RFC 9457 and other usual names) or in XML (the `Code` and `Message` of S3 and Azure), the title of a
/// page.
struct RefusalReason {
    /// The maximum number of scalars shown.
    static let longest = 200
    /// The minimum length in bytes of a secret that is removed: shorter text may occur by chance.
    private static let shortestSecret = 6

    private let body: String
    private let status: Int

    /// Returns the reason; `nil` if the body has none, or it only repeats the status.
    ///
    /// - Parameters:
    ///   - body: The beginning of the body.
    ///   - secrets: The texts to remove.
    static func text(_ body: [UInt8], of head: ResponseHead, secrets: [String] = []) -> String? {
        let coding = head["content-encoding"]?.lowercased() ?? "identity"
        guard !body.isEmpty, !body.contains(0), coding == "identity" else { return nil }
        let found = RefusalReason(body: decoded(body), status: head.status).found(head["content-type"])
        guard let found else { return nil }
        var line = withoutQueries(found)
        for secret in secrets where secret.utf8.count >= shortestSecret && line.contains(secret) {
            line = line.replacing(secret, with: "…")
        }
        return isMeaningless(line, head.status) ? nil : Printable.text(line, longest: longest)
    }

    /// The last character may be truncated.
    private static func decoded(_ body: [UInt8]) -> String {
        for cut in 0...min(3, body.count) {
            if let text = String(validating: body.dropLast(cut), as: UTF8.self) { return text }
        }
        return String(String.UnicodeScalarView(body.map { UnicodeScalar($0) }))
    }

    private func found(_ type: String?) -> String? {
        let type = type?.lowercased().prefix { $0 != ";" && $0 != " " } ?? ""
        let first = body.first { !$0.isWhitespace }
        if type.hasSuffix("json") || type.isEmpty && first == "{" { return JSONReason.find(in: body) }
        if type.hasSuffix("html") { return ofPage }
        if type.hasSuffix("xml") || type.isEmpty && first == "<" { return ofMarkup ?? ofPage }
        guard type.isEmpty || type.hasPrefix("text/") else { return nil }
        return first == "<" ? ofPage : firstLine
    }

    private var firstLine: String? {
        body.split(whereSeparator: \.isNewline).lazy.map(Self.joined).first { !$0.isEmpty }
    }

    private var ofPage: String? {
        let names = ["title", "h1"]
        return names.lazy.compactMap(element).first { !Self.isMeaningless($0, status) }
    }

    private var ofMarkup: String? {
        let code = element("code")
        let message = ["message", "detail", "faultstring", "error"].lazy.compactMap(element).first
        guard let code, let message else { return message ?? code }
        return "\(code): \(message)"
    }

    /// Returns the text in the first element with a name, ignoring case and prefix.
    private func element(_ name: String) -> String? {
        var rest = body[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[start...].dropFirst()
            let tag = rest.prefix { $0 != ">" && $0 != "<" }
            let called = tag.prefix { !$0.isWhitespace }.split(separator: ":").last ?? ""
            guard called.lowercased() == name, tag.endIndex < rest.endIndex else { continue }
            let text = Self.joined(rest[tag.endIndex...].dropFirst().prefix { $0 != "<" })
            if !text.isEmpty { return text }
        }
        return nil
    }

    /// Returns text as one line, with character references resolved.
    private static func joined(_ text: Substring) -> String {
        var text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for (reference, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&#x27;", "'"),
            ("&nbsp;", " "), ("&amp;", "&"),
        ] where text.contains("&") {
            text = text.replacing(reference, with: character)
        }
        return text
    }

    /// Returns a line without the queries of URLs, which may contain signatures.
    private static func withoutQueries(_ line: String) -> String {
        line.split(separator: " ", omittingEmptySubsequences: true).map { word in
            guard let mark = word.firstIndex(of: "?"), word[mark...].contains("=") else {
                return String(word)
            }
            return word[...mark] + "…"
        }.joined(separator: " ")
    }

    /// Returns true if a line only repeats the status.
    private static func isMeaningless(_ line: String, _ status: Int) -> Bool {
        let words = line.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        return words.allSatisfy { $0 == "\(status)" || usualWords.contains($0) }
    }

    /// The words of the usual reason phrases (RFC 9110, section 15).
    private static let usualWords: Set<String> = [
        "error", "http", "https", "status", "code", "the", "page", "file", "is", "nginx", "apache", "bad",
        "request", "unauthorized", "authorization", "required", "forbidden", "access", "not", "found", "gone",
        "method", "allowed", "too", "many", "requests", "internal", "server", "gateway", "service",
        "unavailable", "temporarily", "timeout", "time", "out", "precondition", "failed", "acceptable",
        "range", "satisfiable", "requested",
    ]
}
