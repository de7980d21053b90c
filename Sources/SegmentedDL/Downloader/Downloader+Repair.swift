public import SystemPackage

/// The result of a file's repair.
public struct RepairResult: Sendable, Hashable {
    /// The number of pieces that were wrong or missing.
    public var wrongPieces: Int
    /// The download that fetched them; `nil` if there were none.
    public var download: DownloadResult?
}

extension Downloader {
    /// Checks a file against digests of its pieces, and fetches those that are wrong or missing.
    ///
    /// Until all of the file is right, it has the name of an unfinished download (`NAME.part`). After an
    /// interruption the same call resumes the repair.
    ///
    /// - Parameters:
    ///   - item: Its sources, size and pieces; its path does not matter.
    ///   - path: The file, which may be missing.
    ///   - started: Receives the download, if there has to be one.
    /// - Throws: `DownloadError` with code `invalidSetting` if the item has no size or no pieces, those of a
    ///   download; or `CancellationError`.
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
        let handle = start(DownloadTask(request, paths: DownloadPaths(path)))
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

    /// Finds the wrong pieces, and if there are any, turns the file into an unfinished download of them.
    /// Blocks.
    ///
    /// - Returns: The number of pieces that are wrong or missing.
    func begin() throws -> Int {
        let paths = DownloadPaths(path)
        guard try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }) != nil else {
            // The download resumes with the pieces that an earlier repair has left.
            return pieces.count
        }
        guard try storageCall("look at", paths.part, { try SystemCalls.statusIfThere(paths.part) }) == nil
        else {
            throw DownloadError(
                .badPath, "'\(paths.part)' is in the way of a repair of '\(path)'; finish or remove it.")
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
        // Save it before the rename: without a manifest a part file would be taken for another program's.
        let store = ManifestStore(paths)
        try store.save(manifest, durably: false)
        do {
            try storageCall("rename", path) { try SystemCalls.rename(path, to: paths.part) }
        } catch {
            try? store.remove()
            throw error
        }
        return max(wrong, 1)
    }
}
