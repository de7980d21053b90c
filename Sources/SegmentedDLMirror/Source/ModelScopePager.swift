internal import SegmentedDL

/// Lists a repository of a hub with ModelScope's API. The API does not report the commit of a listing: a file
/// that changes during a run fails because its digest is wrong, and is fetched by the next run.
final class ModelScopePager: EntryPager {
    private let source: HubSource
    private let fetch: ListingFetch
    private let maximumPages: Int
    /// The next page, from 1; `nil` after the last one.
    private var next: Int? = 1
    private var known = KnownEntries()
    private var notes = ListingNotes()

    init(source: HubSource, fetch: ListingFetch, maximumPages: Int) {
        self.source = source
        self.fetch = fetch
        self.maximumPages = maximumPages
    }

    func next() async throws -> [MirrorEntry]? {
        guard let number = next else { return nil }
        let place = try source.location.modelScopeListing(
            page: number, revision: source.revision, on: source.endpoint)
        guard number <= maximumPages else {
            throw DownloadError(
                .badResponse,
                "\(listing) has more than \(maximumPages) pages; it may be endless.",
                url: place.description)
        }
        let page: ModelScopePage
        do {
            page = try ModelScopePage(try await fetch.fetch(place).bytes, of: place, in: source)
        } catch let error as DownloadError {
            throw source.explained(error)
        }
        let isLast = source.location.kind != .dataset || page.count < HubLocation.modelScopePageSize
        next = isLast ? nil : number + 1
        if !isLast { try known.add(page.paths, listing, at: place) }
        notes.token = next.map(String.init)
        return page.entries(in: source)
    }

    private var listing: String { "The listing of '\(source.location)'" }

    var fetches: Bool { true }

    func takeNotes() -> ListingNotes {
        defer { notes = ListingNotes() }
        return notes
    }

    func resume(from state: ListingState) {
        if let number = state.token.flatMap({ Int($0) }), number > 0 { next = number }
    }
}
