internal import SegmentedDL

/// Lists a repository of a hub page by page, at the commit of its revision when the run begins.
final class HubPager: EntryPager {
    private let source: HubSource
    private let filter: PathFilter
    private let fetch: ListingFetch
    private var pages: PageCount
    private var next: Source?
    private var commit: String?
    /// The selected files of the revision that no page has listed yet. A resumed listing has none, because it
    /// does not know the pages of the earlier run; the run then lists everything again.
    private var unlisted: Set<String> = []
    private var known = KnownEntries()
    /// True if the commit is that of an earlier run; the hub may no longer have it.
    private var isCommitOld = false
    private var notes = ListingNotes()

    init(source: HubSource, filter: PathFilter, fetch: ListingFetch, maximumPages: Int) {
        self.source = source
        self.filter = filter
        self.fetch = fetch
        pages = PageCount(maximum: maximumPages)
    }

    func next() async throws -> [MirrorEntry]? {
        guard let commit else {
            try await findCommit()
            return []
        }
        guard let page = next else {
            defer { unlisted = [] }
            return incompleteness.map { [MirrorEntry.unusable($0)] }
        }
        try pages.add(listing, at: page)
        let document: DocumentFetch.Document
        do {
            document = try await self.document(page, .page(pages.count))
        } catch let error as DownloadError where isCommitOld && error.status == 404 {
            (self.commit, isCommitOld, pages.count) = (nil, false, 0)
            return []
        }
        isCommitOld = false
        let tree = try HubPage.tree(document.bytes, of: page, in: source, commit: commit)
        unlisted.subtract(tree.paths)
        next = try PageLink.next(in: document.links, of: page, on: source.endpoint, listing)
        if next != nil { try known.add(tree.paths, listing, at: page) }
        notes.token = next?.url
        return tree.entries
    }

    /// The report of files that no page has listed: a proxy may drop the link to the next page.
    private var incompleteness: UnusableEntry? {
        guard let name = unlisted.min() else { return nil }
        return UnusableEntry(
            place: "\(source.location)",
            reason:
                "The listing lacks \(unlisted.count) of the revision's files, such as '\(Printable.text(name))', so it is incomplete. Try again; if a proxy is in front of the hub, it may remove the Link field of responses."
        )
    }

    /// Returns true if a file of the repository is to be mirrored.
    private func isSelected(_ file: String) -> Bool {
        let prefix = source.location.path.isEmpty ? "" : source.location.path + "/"
        guard file.utf8.starts(with: prefix.utf8) else { return false }
        let path = try? RelativePath(Substring(file.utf8.dropFirst(prefix.utf8.count)))
        return path.map { filter.accepts($0) } ?? true
    }

    private var listing: String { "The listing of '\(source.location)'" }

    private func findCommit() async throws {
        let place = try source.location.revisionURL(on: source.endpoint)
        let revision = try HubPage.revision(await document(place, .revision).bytes, of: place)
        commit = revision.commit
        unlisted = Set(revision.files.filter(isSelected))
        next = try source.location.treeURL(of: revision.commit, on: source.endpoint)
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
        isCommitOld = true
        next = try Source(token)
    }
}
