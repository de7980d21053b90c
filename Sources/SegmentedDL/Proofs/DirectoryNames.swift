/// The names of the files that a directory's listing links to.
enum DirectoryNames {
    /// Reads a listing in HTML.
    ///
    /// - Parameter path: The path of the directory's URL, with a trailing slash.
    /// - Throws: The errors of `MarkupParser`.
    static func read(_ page: [UInt8], path: String) throws(DownloadError) -> [String] {
        var parser = try MarkupParser(.html(elements: ["a"]), name: path)
        let events = try parser.feed(page) + parser.finish()
        var names: [String] = []
        for case .start(_, _, let attributes) in events {
            if let link = attributes["href"], let name = name(link, in: path) { names.append(name) }
        }
        return names
    }

    /// Returns the file name in a link to one of the directory's own files; `nil` for all other links.
    private static func name(_ link: String, in path: String) -> String? {
        guard !link.contains("?") else { return nil }
        var rest = link.prefix { $0 != "#" }
        if rest.hasPrefix(path) { rest = rest.dropFirst(path.count) }
        while rest.hasPrefix("./") { rest = rest.dropFirst(2) }
        guard !rest.isEmpty, !rest.contains("/"), rest != "..", rest != "." else { return nil }
        return URLParser.decoded(rest)
    }
}
