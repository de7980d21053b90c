internal import SegmentedDL
internal import SystemPackage

/// One file of a mirror, from all of its sources.
struct ItemDownload: Sendable {
    let item: MirrorItem
    let job: MirrorJob
    let downloader: Downloader
    /// What is asked for where the mirror's state is kept.
    var keeping: Keeping?
    /// Told of each download that begins.
    let started: @Sendable (DownloadHandle) async -> Void

    /// What a mirror with a state wants of a file's download.
    struct Keeping: Sendable {
        /// The copy that is there, and the URL that it came from.
        var known: (copy: Revalidation.Existing, url: String)?
        /// Whether the server is only asked.
        var onlyAsks = false
        /// Whether an earlier run has left something of the file.
        var isUnfinished = true
        /// Stores the record of the complete file before it has its name.
        var journal: any CompletionJournal
        /// Told of the complete file and its source.
        var note: @Sendable (CompleteCopy, Source) -> Void
    }

    /// - Throws: `DownloadError`, or `CancellationError`.
    func run() async throws -> DownloadResult {
        if let present = try await present() { return present }
        guard let first = item.sources.first else {
            throw DownloadError(.invalidURL, "'\(item.path)' has no source; give it one.")
        }
        let handle = downloader.start(
            DownloadTask(request(from: first), revalidation: keeping.map { terms(of: $0, for: first) }))
        await started(handle)
        return try await handle.result
    }

    private var path: FilePath { job.root.appending(item.path.text) }

    /// What is asked of the downloader.
    ///
    /// - Parameter first: The first of the item's sources.
    func request(from first: Source) -> DownloadRequest {
        var request = DownloadRequest(first, to: .file(path))
        request.mirrors = Array(item.sources.dropFirst())
        if first.origin == job.access.origin?.origin {
            request.headers = job.access.headers
            request.credentials = job.access.credentials
        } else {
            request.mirrorAccess = job.access
        }
        request.headers += item.headers
        request.pieces = item.pieces
        request.checksum = item.strongestChecksum
        request.followsLinks = job.followsLinks
        request.verifiesServerDigest = job.verifiesServerDigest
        request.ifExists = job.ifExists
        request.expectedLength = item.size
        request.makesDirectory = true
        request.startsOver = keeping?.onlyAsks ?? false
        return request
    }

    private func terms(of keeping: Keeping, for first: Source) -> Revalidation {
        // A server cannot be asked about another server's copy. The query may be a signature, new each time.
        let existing = keeping.known.flatMap { known -> Revalidation.Existing? in
            var copy = known.copy
            copy.source = item.sources.first { Self.isSame(known.url, $0.url) }
            return copy.source == nil ? nil : copy
        }
        return Revalidation(
            mode: keeping.onlyAsks ? .checkOnly(existing) : existing.map { .revalidate($0) } ?? .fetch,
            mayBeUnfinished: keeping.isUnfinished, journal: keeping.journal
        ) { copy in
            keeping.note(copy, copy.source ?? first)
        }
    }

    /// Whether two URLs are of the same file.
    static func isSame(_ url: String, _ other: String) -> Bool {
        url.withoutQuery == other.withoutQuery
    }

    /// What is there, if it has the digest that it must have.
    private func present() async throws -> DownloadResult? {
        guard let checksum = item.strongestChecksum else { return nil }
        let status = await DiskThread.run { [path] in try? SystemCalls.status(path) }
        guard let status, status.kind == .file, item.size ?? status.size == status.size,
            try await FileDigest.compute([checksum.algorithm], of: path) == [checksum]
        else { return nil }
        return DownloadResult(
            outcome: .skipped, path: path, length: status.size, bytesWritten: 0, duration: .zero,
            connections: 0, verified: [checksum])
    }
}
