internal import SegmentedDL

/// Lists the assets of a repository's releases page by page.
final class ReleasesPager: EntryPager {
    private let source: ReleasesSource
    private let fetch: ListingFetch
    private let maximumPages: Int
    private var pages = 0
    private var page: Source?
    /// True if anyone can read the files, so that they cost no request to the API; `nil` if unknown.
    private var isPublic: Bool?

    init(source: ReleasesSource, fetch: ListingFetch, maximumPages: Int) throws(DownloadError) {
        self.source = source
        self.fetch = fetch
        self.maximumPages = maximumPages
        page = try source.firstPage()
    }

    func next() async throws -> [MirrorEntry]? {
        guard let page else { return nil }
        guard pages < maximumPages else {
            throw DownloadError(
                .badResponse,
                "The list of the releases of \(Printable.text(source.repository)) has more than \(maximumPages) pages; it may be endless.",
                url: page.description)
        }
        pages += 1
        let document: DocumentFetch.Document
        do {
            document = try await fetch.fetch(page)
        } catch let error as DownloadError {
            throw source.explained(error, after: (error.cause as? TransferFailure)?.requestedDelay)
        }
        var byAPI = false
        if source.hasToken { byAPI = try await !isOpen() }
        let entries = try ReleasePage.entries(document.bytes, of: page, in: source, byAPI: byAPI)
        self.page = try following(page, document.links)
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

    private func following(_ page: Source, _ links: [String]) throws(DownloadError) -> Source? {
        guard let link = LinkHeader.target(of: "next", in: links) else { return nil }
        let next = try URLParser.parse(link, relativeTo: page)
        guard let further = try HubPager.further(next, than: page, of: source.api) else {
            throw DownloadError(
                .badResponse,
                "The list of the releases of \(Printable.text(source.repository)) leads to '\(next)', which is not one of its pages, so it is incomplete.",
                url: page.description)
        }
        return further
    }

    var fetches: Bool { true }
}
