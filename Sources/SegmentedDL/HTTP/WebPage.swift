internal import SystemPackage

/// Web pages that servers send instead of files: a login page, or a message about a limit.
enum WebPage {
    /// Returns true for a Content-Type (RFC 9110, section 8.3) of HTML.
    static func isType(_ contentType: String?) -> Bool {
        let type = mediaType(contentType)
        return type == "text/html" || type == "application/xhtml+xml"
    }

    /// Returns true for a Content-Type of JSON or XML: some services send a short message in one of these
    /// about an error or a limit, with status 200.
    static func isMessageType(_ contentType: String?) -> Bool {
        let type = mediaType(contentType)
        return ["application/", "text/"].contains {
            type.hasPrefix($0) && messageEndings.contains(String(type.dropFirst($0.count)))
        }
    }

    /// Returns true for a Content-Type of text that a program or a person may read.
    static func isText(_ contentType: String?) -> Bool {
        mediaType(contentType) == "text/plain" || isMessageType(contentType)
    }

    /// Returns a Content-Type without its parameters, in lower case; empty for none.
    private static func mediaType(_ contentType: String?) -> String {
        (contentType ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
    }

    /// The maximum length of a short message, in bytes.
    private static let longestMessageBytes: Int64 = 64 * 1024

    /// Returns true for a response that may be a message about an error or a limit instead of a longer file:
    /// short, and of a message type, or described by fewer fields than the file.
    ///
    /// - Parameters:
    ///   - length: Its length in bytes; `nil` if the server states none.
    ///   - type: Its Content-Type.
    ///   - now: Its validators.
    ///   - before: The validators of the file in an earlier response.
    static func isMessage(
        length: Int64?, type: String?, _ now: Validators, insteadOf before: Validators
    ) -> Bool {
        guard length ?? 0 <= longestMessageBytes else { return false }
        return length != nil && isMessageType(type) || !now.describeAsMuch(as: before)
    }

    private static let endings: Set<String> = [
        "html", "htm", "xhtml", "xht", "shtml", "php", "asp", "aspx", "jsp",
    ]
    private static let messageEndings: Set<String> = ["json", "xml", "problem+json", "problem+xml"]

    /// Returns true for the name of a web page.
    static func isName(_ name: String) -> Bool { endings.contains(ending(of: name)) }

    /// Returns true for the name of a JSON or XML file.
    static func isMessageName(_ name: String) -> Bool { messageEndings.contains(ending(of: name)) }

    /// Returns true for a web page sent in response to a request that does not name one: it may be a login
    /// page, or report an error or a limit.
    ///
    /// The first name with an extension decides: the one given by the caller, that of the URL, and that of
    /// the complete file. If none has one, the URL of a directory is taken for a page.
    ///
    /// - Parameters:
    ///   - type: The Content-Type of the response.
    ///   - stored: The name of the complete file; `nil` for a descriptor.
    static func isUnexpected(_ type: String?, for request: DownloadRequest, stored: String?) -> Bool {
        guard isType(type) else { return false }
        let names = request.givenNames + [stored].compactMap(\.self)
        if let isOther = isOther(names) { return isOther }
        return !request.source.lastPathComponent.isEmpty
    }

    /// Returns true if the first of the names with an extension is not a page's.
    static func isNameOfOther(_ names: [String]) -> Bool { isOther(names) ?? false }

    /// - Returns: `nil` if no name has an extension.
    private static func isOther(_ names: [String]) -> Bool? {
        names.first { !ending(of: $0).isEmpty }.map { !isName($0) }
    }

    /// Returns the extension in lower case; empty if the name has none.
    private static func ending(of name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "" }
        return name[name.utf8.index(after: dot)...].lowercased()
    }
}

extension DownloadRequest {
    /// The names of the file given by the caller: of the destination, and of the URL.
    var givenNames: [String] {
        var given: String?
        if case .file(let path) = destination { given = path.lastComponent?.string }
        return [given, source.lastPathComponent].compactMap(\.self)
    }
}
