internal import SegmentedDL

/// Fetches listings into memory, under the same caps as files.
///
/// A listing holds its place in the queue and its connection only while it is received, never while its
/// entries wait to be downloaded, because with a cap of one they would wait for each other.
struct ListingFetch: Sendable {
    let downloader: Downloader
    /// The header fields and credentials for the source's server.
    var access: MirrorAccess
    /// The maximum size of a listing in bytes.
    let maximumBytes: Int

    /// The number of listings to fetch concurrently: with slow responses, fetching them one by one took most
    /// of a mirror's time. Listings that wait for a retry leave their slots to files.
    var maximumActive: Int { max(1, min(4, downloader.limits.mostActiveFiles / 2)) }

    /// Fetches a listing.
    ///
    /// - Throws: `DownloadError`, or `CancellationError`.
    func fetch(_ source: Source) async throws -> DocumentFetch.Document {
        try await downloader.document(at: source, access: access, maximumBytes: maximumBytes)
    }

    /// The maximum duration of a request for a message.
    private static let maximumSeconds = 5

    /// Fetches a document that is only needed for a message, and that must not delay files.
    ///
    /// - Throws: `DownloadError`, or `CancellationError`.
    func fetchApart(_ source: Source) async throws -> DocumentFetch.Document {
        try await downloader.document(
            apartAt: source, access: access, maximumBytes: maximumBytes,
            deadline: .seconds(Self.maximumSeconds))
    }
}

/// The number of pages that a listing has had so far.
struct PageCount {
    let maximum: Int
    var count = 0

    /// Counts a page.
    ///
    /// - Parameters:
    ///   - listing: The listing, as the subject of a sentence.
    ///   - place: The URL of the page.
    /// - Throws: `DownloadError` with code `badResponse` if there are too many.
    mutating func add(
        _ listing: String, _ unit: String = "pages", at place: Source
    ) throws(DownloadError) {
        guard count < maximum else {
            throw DownloadError(
                .badResponse, "\(listing) has more than \(maximum) \(unit); it may be endless.",
                url: place.description)
        }
        count += 1
    }
}

/// The entries that the pages of a listing have had so far.
struct KnownEntries {
    /// The hashes of their names, which take less memory than the names.
    private var hashes: Set<Int> = []

    /// Adds the entries of a page that leads to another one.
    ///
    /// - Parameters:
    ///   - names: The names of the entries. A page may have none.
    ///   - listing: The listing, as the subject of a sentence.
    ///   - place: The URL of the page.
    /// - Throws: `DownloadError` with code `badResponse` if earlier pages had all of them, because the pages
    ///   may then have no end.
    mutating func add(
        _ names: [String], _ listing: String, at place: Source
    ) throws(DownloadError) {
        let count = hashes.count
        hashes.formUnion(names.map(\.hashValue))
        guard names.isEmpty || hashes.count > count else {
            throw DownloadError(
                .badResponse,
                "\(listing) is circular: a page has only entries of earlier pages, so it is incomplete.",
                url: place.description)
        }
    }
}

/// The links between the pages of a listing.
enum PageLink {
    /// Returns the next page that the Link fields of a page name; `nil` for none.
    ///
    /// - Parameter listing: The listing, as the subject of a sentence.
    /// - Throws: `DownloadError` with code `badResponse` if the link leads elsewhere.
    static func next(
        in links: [String], of page: Source, on endpoint: Source, _ listing: String
    ) throws(DownloadError) -> Source? {
        guard let link = LinkHeader.target(of: "next", in: links) else { return nil }
        let next = try URLParser.parse(link, relativeTo: page)
        guard let further = try Self.further(next, than: page, of: endpoint) else {
            throw DownloadError(
                .badResponse,
                "\(listing) leads to '\(next)', which is not one of its pages, so it is incomplete.",
                url: page.description)
        }
        return further
    }

    /// Returns the URL of the next page of a listing; `nil` if the link leads elsewhere. A hub behind a proxy
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
}
