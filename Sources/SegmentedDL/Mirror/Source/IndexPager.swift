/// Walks over a tree of listings in HTML.
final class IndexPager: EntryPager {
    /// How many bytes of a listing are parsed at a time.
    static let pieceSize = 64 * 1024

    private var walk: ListingWalk
    private let fetch: ListingFetch
    private var current: OpenIndex?
    private var notes = ListingNotes()
    private(set) var directory = ""

    init(start: Source, filter: PathFilter, options: WalkOptions, fetch: ListingFetch) {
        walk = ListingWalk(start: start, filter: filter, options: options)
        self.fetch = fetch
    }

    func next() async throws -> [MirrorEntry]? {
        guard let open = current else {
            guard let next = walk.next() else { return nil }
            directory = next.path?.text ?? ""
            return try await begin(next)
        }
        do throws(DownloadError) {
            guard let entries = try open.next() else {
                current = nil
                notes.finished.append(directory)
                return []
            }
            return try walk.take(entries)
        } catch {
            current = nil
            return try unusable(open.directory, error)
        }
    }

    private func begin(_ directory: ListingWalk.Directory) async throws -> [MirrorEntry] {
        do {
            let listing = try await fetch.fetch(directory.source)
            try walk.found(directory, at: listing.source)
            if directory.path == nil { notes.root = walk.root.url }
            try Self.checkType(listing)
            current = OpenIndex(
                directory: directory,
                parser: try HTMLIndexParser(of: listing.source, root: walk.root), rest: listing.bytes[...])
            return []
        } catch let error as DownloadError {
            return try unusable(directory, error)
        }
    }

    func takeNotes() -> ListingNotes {
        defer { notes = ListingNotes() }
        notes.found = walk.takeAdded()
        return notes
    }

    func goOn(from state: ListingState) throws(DownloadError) {
        try walk.goOn(from: state)
    }

    private static func checkType(_ listing: DocumentFetch.Document) throws(DownloadError) {
        guard let type = listing.contentType?.lowercased(), !type.contains("html") else { return }
        throw DownloadError(
            .badResponse,
            "'\(listing.source)' is no listing in HTML, but of the type '\(Printable.text(type))'; check the URL.",
            url: listing.source.description)
    }

    /// Without the start there is nothing; without another directory there is the rest.
    private func unusable(
        _ directory: ListingWalk.Directory, _ error: DownloadError
    ) throws(DownloadError) -> [MirrorEntry] {
        if directory.path == nil || walk.isFull { throw error }
        return [.unusable(UnusableEntry(place: directory.source.description, reason: error.message))]
    }
}

/// A listing that is being parsed.
private final class OpenIndex {
    let directory: ListingWalk.Directory
    private var parser: HTMLIndexParser
    private var rest: ArraySlice<UInt8>
    private var isFinished = false

    init(directory: ListingWalk.Directory, parser: consuming HTMLIndexParser, rest: ArraySlice<UInt8>) {
        self.directory = directory
        self.parser = parser
        self.rest = rest
    }

    func next() throws(DownloadError) -> [IndexEntry]? {
        guard !rest.isEmpty else {
            guard !isFinished else { return nil }
            isFinished = true
            return try parser.finish()
        }
        defer { rest = rest.dropFirst(IndexPager.pieceSize) }
        return try parser.feed(rest.prefix(IndexPager.pieceSize))
    }
}
