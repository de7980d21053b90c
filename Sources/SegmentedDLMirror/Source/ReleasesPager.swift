internal import SegmentedDL

/// Lists the assets of a repository's releases page by page.
final class ReleasesPager: EntryPager {
    private let source: ReleasesSource
    private let fetch: ListingFetch
    private var pages: PageCount
    private var known = KnownEntries()
    private var page: Source?
    /// True if anyone can read the files, so that they cost no request to the API; `nil` if unknown.
    private var isPublic: Bool?

    init(source: ReleasesSource, fetch: ListingFetch, maximumPages: Int) throws(DownloadError) {
        self.source = source
        self.fetch = fetch
        pages = PageCount(maximum: maximumPages)
        page = try source.firstPage()
    }

    func next() async throws -> [MirrorEntry]? {
        guard let page else { return nil }
        let listing = "The list of the releases of \(Printable.text(source.repository))"
        try pages.add(listing, at: page)
        let document: DocumentFetch.Document
        do {
            document = try await fetch.fetch(page)
        } catch let error as DownloadError {
            throw source.explained(error, after: (error.cause as? TransferFailure)?.requestedDelay)
        }
        var byAPI = false
        if source.hasToken { byAPI = try await !isOpen() }
        let entries = try ReleasePage.entries(document.bytes, of: page, in: source, byAPI: byAPI)
        self.page = try PageLink.next(in: document.links, of: page, on: source.api, listing)
        if self.page != nil { try known.add(entries.compactMap(\.path), listing, at: page) }
        return entries
    }

    /// Returns true if the repository is known to be public.
    ///
    /// - Throws: `CancellationError`.
    private func isOpen() async throws -> Bool {
        if let isPublic { return isPublic }
        var isPublic = false
        do {
            isPublic = ReleasePage.isPublic(try await fetch.fetch(try Source(source.repositoryURL)).bytes)
        } catch is DownloadError {
            // The token may read releases without reading the repository.
        }
        self.isPublic = isPublic
        return isPublic
    }

    var fetches: Bool { true }
}

extension MirrorEntry {
    /// The path of a usable entry.
    fileprivate var path: String? { if case .item(let item) = self { item.path.text } else { nil } }
}
