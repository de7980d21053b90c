internal import SystemPackage

/// Web pages, which servers send instead of files: to log in, or with words about a limit.
enum WebPage {
    /// Returns true for the value of Content-Type (RFC 9110, section 8.3) that is HTML's.
    static func isType(_ contentType: String?) -> Bool {
        let type = (contentType ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
        return type == "text/html" || type == "application/xhtml+xml"
    }

    /// Returns true for the value of Content-Type that is JSON's or XML's: some services send a few words in
    /// one of these about an error or a limit, and with status 200.
    static func isMessageType(_ contentType: String?) -> Bool {
        let type = (contentType ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
        return ["application/", "text/"].contains {
            type.hasPrefix($0) && messageEndings.contains(String(type.dropFirst($0.count)))
        }
    }

    private static let endings: Set<String> = [
        "html", "htm", "xhtml", "xht", "shtml", "php", "asp", "aspx", "jsp",
    ]
    private static let messageEndings: Set<String> = ["json", "xml", "problem+json", "problem+xml"]

    /// Returns true for the name of a file that is a page itself.
    static func isName(_ name: String) -> Bool { endings.contains(ending(of: name)) }

    /// Returns true for the name of a file that is JSON or XML itself.
    static func isMessageName(_ name: String) -> Bool { messageEndings.contains(ending(of: name)) }

    /// Returns true for a web page that came where the request names no page: it may be about a login, an
    /// error or a limit.
    ///
    /// The first name with an ending decides: the one that the caller gave the file, that of the URL, and
    /// that of the complete file. Without any, a URL of a directory names a page.
    ///
    /// - Parameters:
    ///   - type: The Content-Type of the answer.
    ///   - stored: The name of the complete file; `nil` for a descriptor.
    static func isUnexpected(_ type: String?, for request: DownloadRequest, stored: String?) -> Bool {
        guard isType(type) else { return false }
        var given: String?
        if case .file(let path) = request.destination { given = path.lastComponent?.string }
        let names = [given, request.source.lastPathComponent, stored].compactMap(\.self)
        if let name = names.first(where: { !ending(of: $0).isEmpty }) { return !isName(name) }
        return !request.source.lastPathComponent.isEmpty
    }

    /// Returns the ending in lower case; empty if the name has none.
    private static func ending(of name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "" }
        return name[name.utf8.index(after: dot)...].lowercased()
    }
}
