/// The title and headings of a page, which distinguish an empty listing from other pages.
struct PageHeading {
    /// The headings of servers' listings in lower case: nginx, Apache and lighttpd write "Index of", Python
    /// and Tomcat "Directory listing", Jetty "Directory:", serve "Files within".
    private static let words = ["index of", "listing", "directory", "files within", "files in"]
    private static let longest = 4096

    /// True inside a heading.
    var isOpen = false
    private var text = ""

    mutating func add(_ part: String) {
        if isOpen, text.utf8.count < Self.longest { text += part.lowercased() }
    }

    /// Returns true if the page has headings, but none of a listing of the directory. Some servers write no
    /// heading for an empty listing, or only its path.
    func isOtherThanListing(of directory: URLPath) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return false }
        let names = directory.directory.map { String(decoding: $0, as: UTF8.self).lowercased() }
        let hasPath = names.isEmpty ? words.contains("/") : text.contains("/" + names.joined(separator: "/"))
        return !hasPath && !Self.words.contains { text.contains($0) }
    }
}
