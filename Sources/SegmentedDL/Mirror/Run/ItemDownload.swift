internal import SystemPackage

/// One file of a mirror, from what is there already to its last source.
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
        /// What makes a server answer that nothing has changed, and the URL that it is about.
        var condition: (Condition, url: String)?
        /// Whether the server is only asked.
        var onlyAsks = false
        /// Told of the complete file before it has its name, and of its source.
        var willFinalize: @Sendable (CompleteCopy, Source) async throws -> Void
    }

    /// - Throws: `DownloadError`, or `CancellationError`.
    func run() async throws -> DownloadResult {
        let path = job.root.appending(item.path.text)
        if let present = try await present(at: path) { return present }
        if keeping?.onlyAsks != true { try await makeDirectory(of: path) }
        var failure = DownloadError(.invalidURL, "'\(item.path)' has no source; give it one.")
        for source in item.sources {
            do {
                let handle = downloader.start(request(for: source, to: path))
                await started(handle)
                return try await handle.result
            } catch let error as DownloadError {
                failure = error
                guard Self.isOfSource(error) else { break }
            }
        }
        throw failure
    }

    private func request(for source: Source, to path: FilePath) -> DownloadRequest {
        var request = DownloadRequest(source, to: .file(path))
        if source.origin == job.access.home?.origin {
            request.headers = job.access.headers
            request.credentials = job.access.credentials
        }
        if source.origin == item.sources.first?.origin { request.headers += item.headers }
        request.checksum = item.strongestChecksum
        request.verifiesServerDigest = job.verifiesServerDigest
        request.ifExists = job.ifExists
        request.expectedLength = item.size
        request.copy = keeping.map { terms(of: $0, for: source) }
        request.startsOver = keeping?.onlyAsks ?? false
        return request
    }

    private func terms(of keeping: Keeping, for source: Source) -> CopyTerms {
        // What one server said is nothing to ask another one about. The query may be a signature, new each time.
        let condition = keeping.condition.flatMap { Self.isSame($0.url, source.url) ? $0.0 : nil }
        return CopyTerms(condition: condition, onlyAsks: keeping.onlyAsks) { copy in
            try await keeping.willFinalize(copy, source)
        }
    }

    private static func isSame(_ url: String, _ other: String) -> Bool {
        url.prefix { $0 != "?" } == other.prefix { $0 != "?" }
    }

    /// Whether another source may do better.
    private static func isOfSource(_ error: DownloadError) -> Bool {
        // 5 is the disk and 6 a lock: they are the same for each source.
        error.exitStatus != 5 && error.exitStatus != 6
    }

    /// What is there, if it has the digest that it must have.
    private func present(at path: FilePath) async throws -> DownloadResult? {
        guard let checksum = item.strongestChecksum else { return nil }
        let status = try await DiskThread.run { try? SystemCalls.status(path) }
        guard let status, status.kind == .file, item.size ?? status.size == status.size,
            try await FileDigest.compute([checksum.algorithm], of: path) == [checksum]
        else { return nil }
        return DownloadResult(
            outcome: .skipped, path: path, length: status.size, bytesWritten: 0, duration: .zero,
            connections: 0, verified: [checksum])
    }

    private func makeDirectory(of path: FilePath) async throws {
        do {
            try await DiskThread.run { try DestinationChoice.makeDirectory(path.directory) }
        } catch let error as StorageError {
            throw error.asDownloadError
        }
    }
}
