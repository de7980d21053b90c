internal import SegmentedDL

/// Fetches listings into memory, under the caps that files have as well.
///
/// A listing holds its place in the queue and its connection only while it comes in, never while its entries
/// wait to be downloaded: with a cap of one, both would otherwise wait for each other.
struct ListingFetch: Sendable {
    let document: DocumentFetch
    /// How many listings are fetched at the same time: where answers take long, one after the other was most
    /// of a mirror's time.
    let atATime: Int
    let prepare: @Sendable (Source) -> (FileSlot, SourceClient)

    /// - Throws: `DownloadError`, or `CancellationError`.
    func fetch(_ source: Source) async throws -> DocumentFetch.Document {
        let (slot, client) = prepare(source)
        defer { slot.release() }
        do {
            try await slot.waitForStart()
            return try await document.fetch(client)
        } catch let failure as TransferFailure {
            throw failure.error(for: source, file: source.description)
        }
    }
}

extension Downloader {
    /// Fetches the listings of a mirror.
    ///
    /// - Parameters:
    ///   - limit: Bytes that a listing may have.
    ///   - access: Header fields and credentials for one host only.
    func listingFetch(limit: Int, access: MirrorAccess) -> ListingFetch {
        ListingFetch(
            document: DocumentFetch(limit: limit, retry: retryPolicy),
            // Listings that have to be tried again leave room for files.
            atATime: max(1, min(4, limits.activeFiles / 2))
        ) { [self] source in documentClient(for: source, access: access) }
    }
}
