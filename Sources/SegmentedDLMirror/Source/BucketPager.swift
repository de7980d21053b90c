internal import SegmentedDL

/// Lists a bucket page by page.
final class BucketPager: EntryPager {
    private let bucket: S3Bucket
    private let fetch: ListingFetch
    private var pages: PageCount
    /// The end of the previous page.
    private var end: S3Bucket.PageEnd?
    private var knownEnds: Set<S3Bucket.PageEnd> = []
    /// The key of the first object of the previous page.
    private var firstKey: String?
    /// True if the token is from an earlier run; the store may no longer accept it.
    private var isTokenOld = false
    private var notes = ListingNotes()

    init(bucket: S3Bucket, fetch: ListingFetch, maximumPages: Int) {
        self.bucket = bucket
        self.fetch = fetch
        pages = PageCount(maximum: maximumPages)
    }

    func next() async throws -> [MirrorEntry]? {
        guard pages.count == 0 || end != nil else { return nil }
        try pages.add("The listing of '\(bucket.endpoint)'", at: bucket.endpoint)
        let listing: DocumentFetch.Document
        do {
            listing = try await fetch.fetch(bucket.page(after: end))
        } catch let error as DownloadError where isTokenOld && error.status == 400 {
            (end, isTokenOld, pages.count) = (nil, false, 0)
            return []
        }
        isTokenOld = false
        let page = try parse(listing.bytes)
        guard !isRepeated(page) else {
            throw DownloadError(
                .badResponse,
                "The listing of '\(bucket.endpoint)' is circular, so it is incomplete.",
                url: bucket.endpoint.description)
        }
        (end, firstKey) = (page.end, page.firstKey)
        // After a marker, the next run starts at the first page.
        notes.token = if case .token(let token) = end { token } else { nil }
        return page.entries
    }

    var fetches: Bool { true }

    func takeNotes() -> ListingNotes {
        defer { notes = ListingNotes() }
        return notes
    }

    func resume(from state: ListingState) {
        end = state.token.map { .token($0) }
        isTokenOld = end != nil
    }

    /// Returns true if a page begins like the previous one, or leads to one that was already read: the store
    /// has ignored the token.
    private func isRepeated(_ page: S3PageParser.Page) -> Bool {
        if let key = page.firstKey, key == firstKey { return true }
        guard let next = page.end else { return false }
        return next == end || !knownEnds.insert(next).inserted
    }

    private func parse(_ bytes: [UInt8]) throws(DownloadError) -> S3PageParser.Page {
        var parser = try S3PageParser(of: bucket)
        try parser.feed(bytes)
        return try parser.finish()
    }
}
