/// Web pages, which servers send instead of files: to log in, or with words about a limit.
enum WebPage {
    /// Returns true for the value of Content-Type (RFC 9110, section 8.3) that is HTML's.
    static func isType(_ contentType: String?) -> Bool {
        let type = (contentType ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
        return type == "text/html" || type == "application/xhtml+xml"
    }

    /// Returns true for the name of a file that is a page itself.
    static func isName(_ name: String) -> Bool {
        let name = name.lowercased()
        return [".html", ".htm", ".xhtml"].contains(where: name.hasSuffix)
    }
}
