internal import SegmentedDL

/// Fetches listings into memory, under the same caps as files.
///
/// A listing holds its place in the queue and its connection only while it is received, never while its
/// entries wait to be downloaded, because otherwise, with a cap of one, each would wait for the other.
struct ListingFetch: Sendable {
    let downloader: Downloader
    /// The header fields and credentials for the source's server.
    var access: MirrorAccess
    /// The largest size of a listing.
    let maximumBytes: Int

    /// The number of listings that are fetched at the same time: where answers take long, fetching them one
    /// after the other took most of a mirror's time. Listings that have to be tried again leave room for
    /// files.
    var maximumActive: Int { max(1, min(4, downloader.limits.mostActiveFiles / 2)) }

    /// Fetches a listing.
    ///
    /// - Throws: `DownloadError`, or `CancellationError`.
    func fetch(_ source: Source) async throws -> DocumentFetch.Document {
        try await downloader.document(at: source, access: access, maximumBytes: maximumBytes)
    }
}
