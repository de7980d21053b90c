public import SystemPackage

/// What came of the repair of a file.
public struct RepairResult: Sendable, Hashable {
    /// How many pieces were wrong or missing.
    public var wrongPieces: Int
    /// How they were fetched; `nil` if there were none.
    public var download: DownloadResult?
}

extension Downloader {
    /// Checks a file against digests of its pieces, and fetches those that are wrong or missing.
    ///
    /// While that lasts the file is called as any unfinished download is (`NAME.part`); it gets its name back when all
    /// of it is right. What was broken off is gone on with by the same call.
    ///
    /// - Parameters:
    ///   - item: Its sources, size and pieces; its path does not matter.
    ///   - path: The file, which may be missing.
    ///   - started: Told of the download, if there has to be one.
    /// - Throws: `DownloadError` with code `invalidSetting` if the item has no size or no pieces, those of a download;
    ///   or `CancellationError`.
    public func repair(
        _ item: MirrorItem, at path: FilePath,
        started: @Sendable (DownloadHandle) async -> Void = { _ in }
    ) async throws -> RepairResult {
        guard let pieces = item.pieces, let size = item.size, let first = item.sources.first,
            Int64(pieces.count) == pieces.expectedCount(size: size)
        else {
            throw DownloadError(
                .invalidSetting,
                "'\(path)': to repair it, its size, the digests of its pieces and a source must be known.")
        }
        let repair = Repair(item: item, pieces: pieces, size: size, path: path)
        let wrong: Int
        do {
            wrong = try await DiskThread.run { try repair.begin() }
        } catch let error as StorageError {
            throw error.asDownloadError
        }
        guard wrong > 0 else { return RepairResult(wrongPieces: 0) }
        var request = DownloadRequest(first, to: .file(path))
        request.mirrors = Array(item.sources.dropFirst())
        request.headers = item.headers
        request.pieces = pieces
        request.checksum = item.checksums.max { $0.algorithm.length < $1.algorithm.length }
        request.expectedLength = size
        request.place = PartPlace(path)
        let handle = start(request)
        await started(handle)
        return RepairResult(wrongPieces: wrong, download: try await handle.result)
    }
}

/// Makes an unfinished download out of a damaged file.
private struct Repair: Sendable {
    let item: MirrorItem
    let pieces: PieceHashes
    let size: Int64
    let path: FilePath

    /// Looks for what is wrong, and if there is something, makes the rest what a download goes on with. Blocks.
    ///
    /// - Returns: How many pieces are wrong or missing.
    func begin() throws -> Int {
        let place = PartPlace(path)
        guard try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }) != nil else {
            // What an earlier repair has left is gone on with.
            return pieces.count
        }
        guard try storageCall("look at", place.part, { try SystemCalls.statusIfThere(place.part) }) == nil
        else {
            throw DownloadError(
                .badPath, "'\(place.part)' is in the way of a repair of '\(path)'; finish or remove it.")
        }
        let part = try PartFile(path, for: path)
        defer { part.close() }
        let check = PieceReader(part: part)
        var right = ByteRangeSet()
        var wrong = 0
        for index in 0..<pieces.count {
            let start = Int64(index) * pieces.length
            let range = start..<min(start + pieces.length, size)
            if try check.hash(range, pieces.algorithm) == pieces[index] {
                right.insert(contentsOf: range)
            } else {
                wrong += 1
            }
        }
        let status = try part.status()
        guard wrong > 0 || status.size != size else { return 0 }
        let source = item.sources[0]
        let manifest = Manifest(
            url: source.description, urlDigest: source.digest, total: size, inode: status.inode,
            boot: BootIdentity.current, written: Manifest.list(right), durable: [],
            updated: WallClock.seconds())
        // Before the rename: without it a part file would be taken for somebody else's.
        let store = ManifestStore(place)
        try store.save(manifest, durably: false)
        do {
            try storageCall("rename", path) { try SystemCalls.rename(path, to: place.part) }
        } catch {
            try? store.remove()
            throw error
        }
        return max(wrong, 1)
    }
}
