internal import SegmentedDL

/// Lists a repository of a hub page by page, at the commit of its revision when the run begins.
final class HubPager: EntryPager {
    private let source: HubSource
    private let fetch: ListingFetch
    private var pages: PageCount
    private var next: Source?
    private var commit: String?
    private var notes = ListingNotes()

    init(source: HubSource, fetch: ListingFetch, maximumPages: Int) {
        self.source = source
        self.fetch = fetch
        pages = PageCount(maximum: maximumPages)
    }

    func next() async throws -> [MirrorEntry]? {
        guard let commit else {
            try await findCommit()
            return []
        }
        guard let page = next else { return nil }
        try pages.add(listing, at: page)
        let document = try await document(page, .page(pages.count))
        let entries = try HubPage.entries(document.bytes, of: page, in: source, commit: commit)
        next = try PageLink.next(in: document.links, of: page, on: source.endpoint, listing)
        notes.token = next?.url
        return entries
    }

    private var listing: String { "The listing of '\(source.location)'" }

    private func findCommit() async throws {
        let place = try source.location.revisionURL(on: source.endpoint)
        let found = try HubPage.commit(await document(place, .revision).bytes, of: place)
        commit = found
        next = try source.location.treeURL(of: found, on: source.endpoint)
        notes.token = next?.url
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
