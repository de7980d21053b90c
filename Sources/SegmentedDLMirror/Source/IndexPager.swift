internal import SegmentedDL

/// Walks a tree of HTML listings.
final class IndexPager: EntryPager {
    /// The number of bytes of a listing to parse at a time.
    static let pieceSize = 64 * 1024

    private typealias Fetched = (
        directory: ListingWalk.Directory, listing: Result<DocumentFetch.Document, DownloadError>
    )

    private var walk: ListingWalk
    private let fetch: ListingFetch
    /// Fetched listings that are not parsed yet, the next one last.
    private var fetched: [Fetched] = []
    private var current: OpenIndex?
    /// The entries of a page that does not look like a listing, until all of it is parsed.
    private var doubtful: [IndexEntry] = []
    private var check: PageCheck?
    private var notes = ListingNotes()
    private(set) var directory = ""
    private(set) var mayHideDirectories = false
    var mayMissDirectories: Bool { mayHideDirectories && walk.hasLeftOut }

    init(start: Source, filter: PathFilter, options: WalkOptions, fetch: ListingFetch) {
        walk = ListingWalk(start: start, filter: filter, options: options)
        self.fetch = fetch
    }

    func next() async throws -> [MirrorEntry]? {
        if let current { return try await read(current) }
        if fetched.isEmpty { try await fetchAhead() }
        guard let (next, listing) = fetched.popLast() else { return nil }
        directory = next.path?.text ?? ""
        let open: OpenIndex
        do {
            open = try begin(next, listing.get())
        } catch {
            return try unusable(next, error)
        }
        return try await read(open)
    }

    private func fetchAhead() async throws {
        let directories = (0..<fetch.maximumActive).compactMap { _ in walk.next() }
        fetched = try await withThrowingTaskGroup(of: (Int, Fetched).self) { [fetch] group in
            for (index, directory) in directories.enumerated() {
                group.addTask {
                    do {
                        return (index, (directory, .success(try await fetch.fetch(directory.source))))
                    } catch let error as DownloadError {
                        return (index, (directory, .failure(error)))
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }.sorted { $0.0 > $1.0 }.map(\.1)
    }

    private func begin(
        _ directory: ListingWalk.Directory, _ listing: DocumentFetch.Document
    ) throws(DownloadError) -> OpenIndex {
        try walk.found(directory, at: listing.source)
        if directory.path == nil { notes.root = walk.root.url }
        try Self.checkType(listing)
        return OpenIndex(
            directory: directory, place: listing.source,
            parser: try HTMLIndexParser(of: listing.source, root: walk.root, links: listing.links),
            page: ByteOrderMark.inUTF8(listing.bytes))
    }

    private func read(_ open: OpenIndex) async throws -> [MirrorEntry] {
        do {
            current = nil
            doubtful += try open.next()
            if !open.isFinished {
                current = open
                // The check needs all entries of the page; a heading may follow the first ones.
                if check != nil, !open.isListing { return [] }
            }
            let found = doubtful
            doubtful = []
            if let check, open.isDoubtful, try await check(open.directory.path, found.compactMap(\.path)) {
                return try unusable(open.directory, Self.replaced(open.place))
            }
            let entries = try walk.take(found)
            if open.isFinished {
                mayHideDirectories = mayHideDirectories || open.mayHideDirectories
                notes.finished.append(directory)
            }
            return entries
        } catch let error as DownloadError {
            (current, doubtful) = (nil, [])
            return try unusable(open.directory, error)
        }
    }

    /// The error for a page that the check refuses.
    private static func replaced(_ place: Source) -> DownloadError {
        DownloadError(
            .badResponse,
            "'\(place)' does not look like a listing, and has no link to the files of this mirror, which would all be removed; it may be a login page or a notice. If it is correct, remove the files yourself.",
            url: place.description)
    }

    func checkPages(_ check: @escaping PageCheck) { self.check = check }

    var isAtHand: Bool { current != nil || !fetched.isEmpty }

    var fetches: Bool { true }

    func takeNotes() -> ListingNotes {
        defer { notes = ListingNotes() }
        notes.found = walk.takeAdded()
        return notes
    }

    func resume(from state: ListingState) throws(DownloadError) {
        try walk.resume(from: state)
        // The store does not contain whether the earlier run's listings marked directories.
        mayHideDirectories = true
    }

    func add(_ directories: [ListingWalk.Directory]) throws(DownloadError) {
        for directory in directories { try walk.add(directory) }
    }

    private static func checkType(_ listing: DocumentFetch.Document) throws(DownloadError) {
        guard let type = listing.contentType?.lowercased() else {
            guard listing.bytes.first(where: { $0 > 0x20 }) ?? 0x3c == 0x3c else {
                throw DownloadError(
                    .invalidURL,
                    "'\(listing.source)' has no Content-Type and is not an HTML listing; check the URL.",
                    url: listing.source.description)
            }
            return
        }
        guard !type.contains("html") else { return }
        throw DownloadError(
            .invalidURL,
            "'\(listing.source)' is not an HTML listing, but has the Content-Type '\(Printable.text(type))'; check the URL.",
            url: listing.source.description)
    }

    /// Returns the entry for a directory without a listing. Throws for the first directory, because the
    /// source cannot be read without its listing.
    private func unusable(
        _ directory: ListingWalk.Directory, _ error: DownloadError
    ) throws(DownloadError) -> [MirrorEntry] {
        if directory.path == nil || walk.isFull { throw error }
        var entry = UnusableEntry(place: directory.source.description, reason: error.message)
        entry.path = directory.path.map { $0.text + "/" }
        return [.unusable(entry)]
    }
}

/// A listing that is being parsed.
private final class OpenIndex {
    let directory: ListingWalk.Directory
    /// The URL of the page, after redirects.
    let place: Source
    private var parser: HTMLIndexParser
    private var rest: ArraySlice<UInt8>
    private let isCut: Bool
    /// True if all entries were returned.
    private(set) var isFinished = false
    var mayHideDirectories: Bool { parser.mayHideDirectories }
    var isListing: Bool { parser.isListing }
    var isDoubtful: Bool { parser.isDoubtful }

    init(
        directory: ListingWalk.Directory, place: Source, parser: consuming HTMLIndexParser, page: [UInt8]
    ) {
        self.directory = directory
        self.place = place
        self.parser = parser
        let end = PageEnd(of: page)
        // The name in a truncated tag may be truncated, too.
        rest = page.prefix(end.wholeBytes)
        isCut = end.isCut
    }

    func next() throws(DownloadError) -> [IndexEntry] {
        let entries = try parser.feed(rest.prefix(IndexPager.pieceSize))
        rest = rest.dropFirst(IndexPager.pieceSize)
        guard rest.isEmpty else { return entries }
        isFinished = true
        return entries + (try parser.finish(isCut: isCut))
    }
}
