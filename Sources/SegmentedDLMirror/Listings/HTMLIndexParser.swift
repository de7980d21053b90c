internal import SegmentedDL

/// An entry of a directory's listing.
enum IndexEntry: Equatable, Sendable {
    /// A file, and its path below the root.
    case file(Source, RelativePath)
    /// A directory, whose URL ends in a slash, and its path below the root.
    case directory(Source, RelativePath)
    /// A name below the directory that is not a valid file name.
    case unusable(UnusableEntry)

    /// The path below the root; `nil` if it is not valid.
    var path: RelativePath? {
        switch self {
        case .file(_, let path), .directory(_, let path): path
        case .unusable: nil
        }
    }
}

/// A parser for directory listings in HTML, as written by nginx, Apache, lighttpd, Caddy and Python's
/// http.server.
///
/// The `href` of each `<a>` is an entry if it leads below the directory: a file or, if the link or its text
/// ends with a slash, a directory. `ListingLink` decides this, and also recognizes links that lead below the
/// directory through other URLs; together they form one unusable entry. All other links are navigation and
/// are ignored.
///
/// A page that has no link below the directory but has a password field is refused: some servers respond in
/// this way, with status 200, if the user is not logged in, and the page would count as an empty directory. A
/// page without such a link whose heading is not a listing's, and which does not link to the parent
/// directory, is refused too: it is the directory's index.html. Below the root, a page that has neither a
/// heading nor another sign of a listing is refused as well, because a script that fails may respond in this
/// way, often with an empty body.
///
/// A link to the listing itself with a query that does more than sort, or to its next page, results in an
/// unusable entry, because the listing may have further files.
struct HTMLIndexParser: ~Copyable {
    private var parser: MarkupParser
    private let directory: Source
    private let directoryPath: URLPath
    private let rootDepth: Int
    private var base: Source
    private var hasBase = false
    /// The open link and its text.
    private var link: (target: String, text: String, isNext: Bool)?
    private var strays = StrayLinks()
    /// The first link to another part of this listing.
    private var part: Source?
    private var hasFiles = false
    private var hasEntries = false
    private var asksForPassword = false
    private var hasParent = false
    private var hasList = false
    private var isSortable = false
    private var heading = PageHeading()
    private var marksDirectories = false
    /// True if a link to the directory itself has no trailing slash, as in listings by serve-index.
    private var namesItselfBare = false
    /// The previous entry, because a listing may contain two links to a file, one for its icon and one for
    /// its name.
    private var last: IndexEntry?

    /// - Parameters:
    ///   - directory: The URL of the listing, after redirects.
    ///   - root: The directory that paths are relative to: that of the listing, or an ancestor.
    ///   - links: The values of the Link fields with which the server has sent the listing.
    /// - Throws: `DownloadError` with code `badResponse`.
    init(of directory: Source, root: Source, links: [String] = []) throws(DownloadError) {
        parser = try MarkupParser(
            .html(elements: ["a", "base", "input", "title", "h1", "link", "ul", "ol", "dl"]),
            name: directory.description)
        self.directory = directory
        directoryPath = URLPath(of: directory)
        rootDepth = URLPath(of: root).directory.count
        base = directory
        part = LinkHeader.target(of: "next", in: links).flatMap {
            try? URLParser.parse($0, relativeTo: directory)
        }
    }

    /// Parses the next bytes.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if a tag is unterminated, or elements are nested too
    ///   deeply.
    mutating func feed(_ bytes: some Collection<UInt8>) throws(DownloadError) -> [IndexEntry] {
        entries(try parser.feed(bytes))
    }

    /// Ends the listing, and returns the last entries. Call it once.
    ///
    /// - Parameter isCut: True if the page is truncated, so that the directory may have further files.
    /// - Throws: The errors of `feed(_:)`, and `DownloadError` with code `httpStatus` for a page with a
    ///   password field, `badResponse` for a page that is not a listing.
    mutating func finish(isCut: Bool = false) throws(DownloadError) -> [IndexEntry] {
        var found = entries(try parser.finish())
        endLink(&found)
        if asksForPassword, !hasEntries {
            throw DownloadError(
                .httpStatus,
                "'\(directory)' requires a password to list files; give credentials, or cookies.",
                url: directory.description)
        }
        let missing = strayEntry + partEntry
        if !hasEntries, !hasParent, !isListing,
            !heading.isEmpty || (missing.isEmpty && !isEmptyListing)
        {
            throw DownloadError(
                .badResponse,
                "'\(directory)' is a page without links to files below it, and not a listing; exclude it with --exclude, or give a list of its files.",
                url: directory.description)
        }
        return found + missing + (isCut ? [cutEntry] : [])
    }

    /// True for a page without a heading and without links below the directory that is an empty listing. The
    /// root's files are safe without this: a source without any file removes nothing.
    private var isEmptyListing: Bool {
        hasList || isSortable || directoryPath.directory.count <= rootDepth
    }

    /// The entry for the files that a truncated listing does not contain.
    private var cutEntry: IndexEntry {
        missingFiles(
            "'\(directory)' ends in the middle of its page, so it may list more files; run again, or mirror a list of the files."
        )
    }

    /// The entry for another part of the listing.
    private var partEntry: [IndexEntry] {
        guard let part else { return [] }
        return [
            missingFiles(
                "'\(directory)' links to another part of itself, '\(part)', which may list more files; they were not fetched: mirror a list of the files instead."
            )
        ]
    }

    /// The entry for links that lead to names in the directory through URLs outside this tree.
    private var strayEntry: [IndexEntry] {
        guard let (count, first) = strays.missing(isAlone: !hasEntries) else { return [] }
        let names = count == 1 ? "a name" : "\(count) names"
        return [
            missingFiles(
                "'\(directory)' links to \(names) below it with URLs of another server or with queries, such as '\(first)'; they are not fetched: mirror that server, or a list of the files."
            )
        ]
    }

    /// The entry for files of the directory that are unknown.
    private func missingFiles(_ reason: String) -> IndexEntry {
        var entry = UnusableEntry(place: directory.description, reason: reason)
        let own = directoryPath.directory.dropFirst(rootDepth)
        entry.path = own.isEmpty ? nil : (try? Self.relativePath(own)).map { $0.text + "/" }
        return .unusable(entry)
    }

    /// True if the heading is that of a listing.
    var isListing: Bool { heading.isListing(of: directoryPath) }

    /// True for a page with entries whose heading is not a listing's, or that has none and asks for a
    /// password. Most are directories with an index.html, but a login page may have links as well.
    var isDoubtful: Bool {
        hasEntries && !isListing && (asksForPassword || !heading.isEmpty)
    }

    /// True if some of the files may be directories: no link shows that the server marks directories.
    var mayHideDirectories: Bool { hasFiles && (!marksDirectories || namesItselfBare) }

    private mutating func entries(_ events: [MarkupEvent]) -> [IndexEntry] {
        var found: [IndexEntry] = []
        for event in events {
            switch event {
            case .start("base", _, let attributes):
                // The first `<base>` applies to the links after it (HTML, section 4.2.3).
                if !hasBase, let new = attributes["href"].flatMap({ resolved($0) }) {
                    (base, hasBase) = (new, true)
                }
            case .start("input", _, let attributes):
                asksForPassword = asksForPassword || attributes["type"]?.lowercased() == "password"
            case .start("title", _, _), .start("h1", _, _):
                heading.isOpen = true
            case .start("ul", _, _), .start("ol", _, _), .start("dl", _, _):
                hasList = true
            case .start("link", _, let attributes):
                if Self.isNext(attributes), let target = attributes["href"].flatMap({ resolved($0) }) {
                    part = part ?? target
                }
            case .start(_, _, let attributes):
                endLink(&found)
                link = attributes["href"].map { ($0, "", Self.isNext(attributes)) }
            case .text(let text):
                heading.add(text)
                // Only the end matters; a name has at most 255 bytes on most file systems.
                if let open = link {
                    link = (open.target, String((open.text + text).suffix(256)), open.isNext)
                }
            case .end("a"):
                endLink(&found)
            case .end("title"), .end("h1"):
                heading.isOpen = false
            case .end:
                break
            }
        }
        return found
    }

    private mutating func endLink(_ found: inout [IndexEntry]) {
        guard let (written, text, isNext) = link else { return }
        link = nil
        guard let target = resolved(written) ?? placeOfName(written, text: text) else {
            guard let place = placeByFTP(written) else { return }
            let link = ListingLink(place, in: directory)
            if link != .navigation { strays.add(place, isDoubtful: link == .doubtful) }
            return
        }
        if isNext {
            part = part ?? target
            return
        }
        if !target.hasQuery, let own = ListingLink.spelled(target, as: directory) {
            note(own, hasSlash: written.hasSuffix("/"))
        }
        switch ListingLink(target, in: directory) {
        case .navigation: isSortable = isSortable || isOrder(target)
        case .part: part = part ?? target
        case .entry(let source): add(source, text: text, &found)
        case .stray: strays.add(target, isDoubtful: false)
        case .doubtful: strays.add(target, isDoubtful: true)
        }
    }

    /// True for the listing itself in another order.
    private func isOrder(_ target: Source) -> Bool {
        target.hasQuery && target.origin == directory.origin
            && URLPath(of: target).directory == directoryPath.directory
    }

    private static func isNext(_ attributes: [String: String]) -> Bool {
        attributes["rel"]?.lowercased().split(whereSeparator: \.isWhitespace).contains("next") ?? false
    }

    private mutating func add(_ target: Source, text: String, _ found: inout [IndexEntry]) {
        strays.note(entry: target)
        let entry = entry(target, text: text)
        switch entry {
        case .file: hasFiles = true
        case .directory: marksDirectories = true
        case .unusable: break
        }
        hasEntries = true
        if entry != last { found.append(entry) }
        last = entry
    }

    /// Records whether the server marks directories, as a link to the directory itself or its parent shows.
    private mutating func note(_ target: Source, hasSlash: Bool) {
        let path = URLPath(of: target)
        let own = directoryPath.directory
        if path.isDirectory, path.directory == own.dropLast() {
            hasParent = hasParent || !own.isEmpty
            marksDirectories = marksDirectories || hasSlash
        }
        if !path.isDirectory, path.components[...] == own { namesItselfBare = true }
    }

    private func entry(_ linked: Source, text: String) -> IndexEntry {
        var (target, path) = (linked, URLPath(of: linked))
        if !path.isDirectory, text.unicodeScalars.last(where: { !Self.isBlank($0) }) == "/",
            let directory = resolved(target.url + "/")
        {
            (target, path) = (directory, URLPath(of: directory))
        }
        let source = target.with(directory.credentials)
        do throws(DownloadError) {
            let components = path.components.dropFirst(rootDepth)
            let relative = try Self.relativePath(path.isDirectory ? components.dropLast() : components)
            return path.isDirectory ? .directory(source, relative) : .file(source, relative)
        } catch {
            return .unusable(
                UnusableEntry(place: directory.description, error, isDirectory: path.isDirectory))
        }
    }

    /// Returns the path of percent-decoded components.
    ///
    /// - Throws: `DownloadError` with code `badPath`.
    static func relativePath(_ components: ArraySlice<[UInt8]>) throws(DownloadError) -> RelativePath {
        let names = components.map { String(decoding: $0, as: UTF8.self) }
        for (name, bytes) in zip(names, components) {
            // A file name cannot contain a slash, and bytes that are not UTF-8 would be lost.
            guard !bytes.contains(UInt8(ascii: "/")), name.utf8.elementsEqual(bytes) else {
                let fault = bytes.contains(UInt8(ascii: "/")) ? "contains an encoded slash" : "is not UTF-8"
                throw DownloadError(
                    .badPath, "The name '\(Printable.text(name))' \(fault); it cannot be used.",
                    cause: UnusablePath(text: names.joined(separator: "/")))
            }
        }
        return try RelativePath(names.joined(separator: "/"))
    }

    private func resolved(_ link: String) -> Source? {
        // Spaces around a link are ignored (HTML, section 2.4.1).
        let link = link.unicodeScalars.drop(while: Self.isBlank)
        guard let first = link.first, first != "#" else { return nil }
        let scheme = Self.scheme(of: link)
        guard scheme == nil || scheme == "http" || scheme == "https" else { return nil }
        // A name with a colon is a relative link if the part before the colon cannot be a scheme.
        var text = (scheme == nil ? Self.dot(before: link) : "") + String(link)
        while let scalar = text.unicodeScalars.last, Self.isBlank(scalar) { text.unicodeScalars.removeLast() }
        return try? URLParser.parse(text, relativeTo: base)
    }

    /// Returns the URL of a name with a colon that the server did not escape: `a:b.txt` reads as a URL with a
    /// scheme (RFC 3986, section 4.2). It is a name if the link's text is equal to it or to its beginning,
    /// since Apache and nginx shorten long names.
    private func placeOfName(_ link: String, text: String) -> Source? {
        func bare(_ text: String) -> Substring.UnicodeScalarView {
            let text = text.unicodeScalars.drop(while: Self.isBlank)
            guard let end = text.lastIndex(where: { !Self.isBlank($0) }) else { return text }
            return text[...end]
        }
        let (name, shown) = (bare(link), bare(text))
        guard Self.scheme(of: name) != nil, !name.dropLast().contains("/") else { return nil }
        let isCut = String(shown).hasSuffix("..>") || String(shown).hasSuffix("...")
        let beginning = isCut ? shown.dropLast(3) : shown
        guard
            isCut
                ? beginning.count >= Self.leastShown && name.starts(with: beginning)
                : name.elementsEqual(shown)
        else { return nil }
        return try? URLParser.parse("./" + String(name), relativeTo: base)
    }

    /// The minimum length of a shortened name: a shorter one may match by chance.
    private static let leastShown = 8

    /// Returns the URL of an ftp link as if it were an http link.
    private func placeByFTP(_ link: String) -> Source? {
        let link = link.unicodeScalars.drop(while: Self.isBlank)
        guard ["ftp", "ftps"].contains(Self.scheme(of: link)), let colon = link.firstIndex(of: ":") else {
            return nil
        }
        return try? URLParser.parse("http" + String(link[colon...]), relativeTo: base)
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" || scalar == "\u{c}"
    }

    /// Returns the scheme of an absolute URL, in lower case (RFC 3986, section 3.1); `nil` for a relative
    /// link.
    private static func scheme(of link: Substring.UnicodeScalarView) -> String? {
        guard let end = link.firstIndex(where: { $0 == ":" || $0 == "/" || $0 == "?" || $0 == "#" }),
            link[end] == ":", let first = link.first, isLetter(first),
            link[..<end].allSatisfy({
                isLetter($0) || ("0"..."9").contains($0) || "+-.".unicodeScalars.contains($0)
            })
        else { return nil }
        return String(link[..<end]).lowercased()
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    /// Returns the prefix of a relative link that prevents a colon in its first component from being parsed
    /// as the end of a scheme.
    private static func dot(before link: Substring.UnicodeScalarView) -> String {
        link.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.contains(":") ? "./" : ""
    }
}
