internal import SegmentedDL

/// Reads a source that consists of one document.
final class DocumentPager: EntryPager {
    typealias Reading = (DocumentFetch.Document) throws(DownloadError) -> [MirrorEntry]

    private let place: Source
    private let fetch: ListingFetch
    private let read: Reading
    private var isRead = false

    /// - Parameters:
    ///   - accepted: The media types to request (Accept); `nil` for any.
    ///   - read: Returns the entries of a document.
    init(_ place: Source, accepted: String? = nil, fetch: ListingFetch, read: @escaping Reading) {
        self.place = place
        var fetch = fetch
        if let accepted {
            if fetch.access.origin == nil { fetch.access = MirrorAccess(for: place) }
            fetch.access.headers.append(HTTPHeader("Accept", accepted))
        }
        self.fetch = fetch
        self.read = read
    }

    func next() async throws -> [MirrorEntry]? {
        guard !isRead else { return nil }
        isRead = true
        return try read(try await fetch.fetch(place))
    }

    var fetches: Bool { true }
}
