internal import SegmentedDL

/// Lists a repository of a hub page by page, at the commit of its revision when the run begins.
final class HubPager: EntryPager {
    private let source: HubSource
    private let fetch: ListingFetch
    private let maximumPages: Int
    private var pages = 0
    private var next: Source?
    private var commit: String?
    private var notes = ListingNotes()

    init(source: HubSource, fetch: ListingFetch, maximumPages: Int) {
        self.source = source
        self.fetch = fetch
        self.maximumPages = maximumPages
    }

    func next() async throws -> [MirrorEntry]? {
        guard let commit else {
            try await findCommit()
            return []
        }
        guard let page = next else { return nil }
        guard pages < maximumPages else {
            throw DownloadError(
                .badResponse,
                "The listing of '\(source.location)' has more than \(maximumPages) pages; it may be endless.",
                url: page.description)
        }
        pages += 1
        let document = try await document(page, .page(pages))
        let entries = try HubPage.entries(document.bytes, of: page, in: source, commit: commit)
        next = try following(page, document.links)
        notes.token = next?.url
        return entries
    }

    private func findCommit() async throws {
        let place = try source.location.revisionURL(on: source.endpoint)
        let found = try HubPage.commit(await document(place, .revision).bytes, of: place)
        commit = found
        next = try source.location.treeURL(of: found, on: source.endpoint)
        notes.token = next?.url
    }

    private func following(_ page: Source, _ links: [String]) throws(DownloadError) -> Source? {
        guard let link = LinkHeader.target(of: "next", in: links) else { return nil }
        let next = try URLParser.parse(link, relativeTo: page)
        guard let further = try Self.further(next, than: page, of: source.endpoint) else {
            throw DownloadError(
                .badResponse,
                "The listing of '\(source.location)' leads to '\(next)', which is not one of its pages, so it is incomplete.",
                url: page.description)
        }
        return further
    }

    /// Returns the URL of the next page of a tree; `nil` if the link leads elsewhere. A hub behind a proxy
    /// may use an origin other than the requested one in its links; only the query of such a link is used.
    static func further(
        _ next: Source, than page: Source, of endpoint: Source
    ) throws(DownloadError) -> Source? {
        guard next.url != page.url else { return nil }
        if next.origin == endpoint.origin { return next }
        let (path, own) = (URLPath(of: next).components, URLPath(of: page).components)
        guard next.hasQuery, own.suffix(path.count).elementsEqual(path) else { return nil }
        let further = try Source("\(page.url.withoutQuery)\(next.url.dropFirst(next.url.withoutQuery.count))")
        return further.url == page.url ? nil : further
    }

    private func document(
        _ place: Source, _ subject: HubSource.Subject
    ) async throws -> DocumentFetch.Document {
        do {
            return try await fetch.fetch(place)
        } catch let error as DownloadError {
            throw source.explained(error, of: subject)
        }
    }

    var fetches: Bool { true }

    func takeNotes() -> ListingNotes {
        defer { notes = ListingNotes() }
        return notes
    }

    func resume(from state: ListingState) throws(DownloadError) {
        guard let token = state.token,
            let commit = source.location.commit(ofPage: token, on: source.endpoint)
        else { return }
        self.commit = commit
        next = try Source(token)
    }
}
