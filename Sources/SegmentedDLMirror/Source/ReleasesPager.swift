internal import SegmentedDL

/// Lists the assets of a repository's releases page by page.
final class ReleasesPager: EntryPager {
    private let source: ReleasesSource
    private let fetch: ListingFetch
    private let maximumPages: Int
    private var pages = 0
    private var page: Source?

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
            throw source.explained(error)
        }
        let entries = try ReleasePage.entries(document.bytes, of: page, in: source)
        self.page = try following(page, document.links)
        return entries
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
