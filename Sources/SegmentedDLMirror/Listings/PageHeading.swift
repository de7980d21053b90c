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

    /// True if the page has no heading with a text.
    var isEmpty: Bool { text.allSatisfy(\.isWhitespace) }

    /// Returns true if a heading is that of a listing of the directory. Some servers write only its path.
    func isListing(of directory: URLPath) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace)
        let names = directory.directory.map { String(decoding: $0, as: UTF8.self).lowercased() }
        let hasPath = names.isEmpty ? words.contains("/") : text.contains("/" + names.joined(separator: "/"))
        return hasPath || Self.words.contains { text.contains($0) }
    }
}
