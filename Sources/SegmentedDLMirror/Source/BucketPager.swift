internal import SegmentedDL

/// Lists a bucket page by page.
final class BucketPager: EntryPager {
    private let bucket: S3Bucket
    private let fetch: ListingFetch
    private let mostPages: Int
    private var pages = 0
    private var token: String?
    /// True if the token is from an earlier run. The store may no longer know it.
    private var isOld = false
    private var notes = ListingNotes()

    init(bucket: S3Bucket, fetch: ListingFetch, mostPages: Int) {
        self.bucket = bucket
        self.fetch = fetch
        self.mostPages = mostPages
    }

    func next() async throws -> [MirrorEntry]? {
        guard pages == 0 || token != nil else { return nil }
        guard pages < mostPages else {
            throw DownloadError(
                .badResponse,
                "The listing of '\(bucket.endpoint)' has more than \(mostPages) pages; it may be without end.",
                url: bucket.endpoint.description)
        }
        pages += 1
        let listing: DocumentFetch.Document
        do {
            listing = try await fetch.fetch(bucket.page(after: token))
        } catch let error as DownloadError where isOld && error.status == 400 {
            (token, isOld, pages) = (nil, false, 0)
            return []
        }
        isOld = false
        let page = try parse(listing.bytes)
        guard page.token == nil || page.token != token else {
            throw DownloadError(
                .badResponse,
                "The listing of '\(bucket.endpoint)' goes round in a circle; it is not complete.",
                url: bucket.endpoint.description)
        }
        token = page.token
        notes.token = token
        return page.entries
    }

    var fetches: Bool { true }

    func takeNotes() -> ListingNotes {
        defer { notes = ListingNotes() }
        return notes
    }

    func resume(from state: ListingState) {
        token = state.token
        isOld = token != nil
    }

    private func parse(_ bytes: [UInt8]) throws(DownloadError) -> (entries: [MirrorEntry], token: String?) {
        var parser = try S3PageParser(of: bucket)
        try parser.feed(bytes)
        return try parser.finish()
    }
}
