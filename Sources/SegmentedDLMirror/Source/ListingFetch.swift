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
}
