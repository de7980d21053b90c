extension Target {
    /// A URL; or two lines, a URL and what a Location header says.
    static let url = Target(name: "url") { bytes in
        let lines = bytes.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
        var base: Source?
        for line in lines {
            let text = String(decoding: line, as: UTF8.self)
            checkNoSecret(URLParser.redacted(text))
            do throws(DownloadError) {
                let source = try URLParser.parse(text, relativeTo: base)
                check(source)
                let other = try URLParser.parseWithLibcurl(text, relativeTo: base)
                promise(
                    source == other && isSame(source.url, other.url),
                    "'\(text)' is read as \(source) and as \(other)")
                base = source
            } catch {
                checkNoSecret(error.message)
                checkNoSecret(error.url ?? "")
                return
            }
        }
    }

    private static func check(_ source: Source) {
        let (url, origin) = (source.url, source.origin)
        promise(origin.scheme == "http" || origin.scheme == "https", "the scheme '\(origin.scheme)'")
        promise(!origin.host.isEmpty && (0...65_535).contains(origin.port), "the origin \(origin)")
        promise(url.utf8.starts(with: "\(origin.scheme)://".utf8), "'\(url)' is of \(origin)")
        promise(url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }, "blanks in '\(url)'")
        let authority = url.utf8.dropFirst(origin.scheme.utf8.count + 3).prefix { $0 != UInt8(ascii: "/") }
        promise(!authority.contains(UInt8(ascii: "@")), "user information in '\(url)'")
        promise(!url.utf8.contains(UInt8(ascii: "#")), "a fragment in '\(url)'")
        let shown = source.description.utf8.prefix { $0 != UInt8(ascii: "?") }
        promise(url.utf8.starts(with: shown), "'\(source)' is not of '\(url)'")
        let query = source.description.utf8.dropFirst(shown.count)
        promise(query.isEmpty || query.elementsEqual("?…".utf8), "a query in '\(source)'")
        let bare = Source(
            url: url, origin: origin, lastPathComponent: source.lastPathComponent, credentials: nil)
        guard let again = try? Source(url) else { fatalError("'\(url)' is not read back") }
        promise(again == bare && isSame(again.url, url), "'\(url)' is read back as \(again)")
        guard let one = try? Source(source.identity) else { fatalError("'\(source.identity)' is not read") }
        promise(one == bare && isSame(one.identity, source.identity), "'\(url)' is the same as \(one)")
    }

    /// User information ends in an @ and a query begins with a question mark.
    private static func checkNoSecret(_ message: String) {
        let bytes = Array(message.utf8)
        promise(!bytes.contains(UInt8(ascii: "@")), "user information in '\(message)'")
        promise(!bytes.contains(UInt8(ascii: "#")), "a fragment in '\(message)'")
        promise(
            message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control },
            "a control character in '\(message)'")
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "?") {
            promise(bytes[(index + 1)...].starts(with: "…".utf8), "a query in '\(message)'")
        }
    }
}
