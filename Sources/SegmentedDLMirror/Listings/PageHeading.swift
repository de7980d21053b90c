/// The title and the headings of a page, which tell a listing without entries from other pages.
struct PageHeading {
    /// Servers' listings have one of these there, in lower case: nginx, Apache and lighttpd say "Index of",
    /// Python and Tomcat "Directory listing", Jetty "Directory:", serve "Files within".
    private static let words = ["index of", "listing", "directory", "files within", "files in"]
    private static let longest = 4096

    /// True between the start and the end of a heading.
    var isOpen = false
    private var text = ""

    mutating func add(_ part: String) {
        if isOpen, text.utf8.count < Self.longest { text += part.lowercased() }
    }

    /// Returns true if there is a heading, and none that a listing of the directory has. Some servers give an
    /// empty listing no heading, and some its path alone.
    func isOtherThanListing(of directory: URLPath) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return false }
        let names = directory.directory.map { String(decoding: $0, as: UTF8.self).lowercased() }
        let hasPath = names.isEmpty ? words.contains("/") : text.contains("/" + names.joined(separator: "/"))
        return !hasPath && !Self.words.contains { text.contains($0) }
    }
}
