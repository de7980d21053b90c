import SegmentedDLSupport
public import SystemPackage

/// The result of a file's repair.
public struct RepairResult: Sendable, Hashable {
    /// The number of pieces that were wrong or missing.
    public var wrongPieces: Int
    /// The download that fetched them; `nil` if no piece was wrong or missing.
    public var download: DownloadResult?
}

extension Downloader {
    /// Checks a file against digests of its pieces, and fetches those that are wrong or missing.
    ///
    /// The file keeps its name until a source has answered; from then until it is entirely correct, it has
    /// the name of an unfinished download (`NAME.part`). After an interruption the same call resumes the
    /// repair.
    ///
    /// - Parameters:
    ///   - item: Its sources, size and pieces; its path is ignored.
    ///   - path: The file, which may be missing.
    ///   - started: Receives the download, if one is needed.
    /// - Returns: The number of wrong pieces, and their download.
    /// - Throws: `DownloadError` with code `invalidSetting` if the item has no size or no pieces; the errors
    ///   of a download; `CancellationError`.
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
        do {
            let wrong = try await DiskThread.run { try repair.begin() }
            guard wrong > 0 else { return RepairResult(wrongPieces: 0) }
            var request = DownloadRequest(first, to: .file(path))
            request.mirrors = Array(item.sources.dropFirst())
            request.headers = item.headers
            request.pieces = pieces
            request.checksums = item.strongestChecksum.map { [$0] } ?? []
            request.expectedLength = size
            // The damaged file keeps its name until the first response.
            request.ifExists = .replace
            var task = DownloadTask(request, paths: DownloadPaths(path))
            task.recognizesCopies = false
            task.refusesOtherURL = false
            task.hooks.choosePath = { _ in
                try await DiskThread.run { try repair.renameDamaged() }
                return nil
            }
            let handle = start(task)
            await started(handle)
            do {
                return RepairResult(wrongPieces: wrong, download: try await handle.finish())
            } catch {
                await DiskThread.run { repair.end() }
                throw repair.explained(error)
            }
        } catch let error as StorageError {
            throw error.asDownloadError
        }
    }
}

/// Turns a damaged file into an unfinished download.
private final class Repair: Sendable {
    private let item: MirrorItem
    private let pieces: PieceHashes
    private let size: Int64
    private let path: FilePath
    /// The damaged file, until it is renamed.
    private let damaged = Lock<FileIdentity?>(nil)

    init(item: MirrorItem, pieces: PieceHashes, size: Int64, path: FilePath) {
        self.item = item
        self.pieces = pieces
        self.size = size
        self.path = path
    }

    private var paths: DownloadPaths { DownloadPaths(path) }

    /// Finds the wrong pieces and, if there are any, writes the manifest of an unfinished download of them.
    /// Blocks.
    ///
    /// - Returns: The number of pieces that are wrong or missing.
    func begin() throws -> Int {
        guard try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }) != nil else {
            // The download resumes with the pieces left by an earlier repair.
            return pieces.count
        }
        guard try storageCall("look at", paths.part, { try SystemCalls.statusIfThere(paths.part) }) == nil
        else {
            throw DownloadError(
                .badPath, "'\(paths.part)' prevents a repair of '\(path)'; finish or remove it.")
        }
        let part = try PartFile(path, for: path)
        defer { part.close() }
        let status = try part.status()
        let (right, wrong) = try compare(part)
        guard wrong > 0 || status.size != size else {
            // An earlier repair was killed after it had renamed the file.
            try paths.removeUnfinished()
            return 0
        }
        let source = item.sources[0]
        let manifest = Manifest(
            url: source.description, urlDigest: source.digest, total: size, inode: status.inode,
            boot: BootIdentity.current, written: Manifest.list(right), durable: [],
            updated: WallClock.seconds())
        // Save it before the rename: a part file without a manifest would be taken for another program's.
        try ManifestStore(paths).save(manifest, durably: false)
        damaged.withLock { $0 = FileIdentity(status) }
        return max(wrong, 1)
    }

    /// Returns the ranges of the correct pieces, and the number of wrong ones.
    private func compare(_ part: PartFile) throws -> (right: ByteRangeSet, wrong: Int) {
        let check = PieceReader(part: part)
        var (right, wrong) = (ByteRangeSet(), 0)
        for index in 0..<pieces.count {
            let start = Int64(index) * pieces.length
            let range = start..<min(start + pieces.length, size)
            if try check.hash(range, pieces.algorithm) == pieces[index] {
                right.insert(contentsOf: range)
            } else {
                wrong += 1
            }
        }
        return (right, wrong)
    }

    /// Renames the damaged file, once a source has responded. Blocks.
    func renameDamaged() throws {
        try damaged.withLock { damaged in
            guard let identity = damaged else { return }
            guard identity.isAt(path) else { throw StorageError.cut(path).asDownloadError }
            try storageCall("rename", path) { try SystemCalls.renameExclusively(path, to: paths.part) }
            damaged = nil
        }
    }

    /// Returns an error whose message states where the file is now.
    func explained(_ error: any Error) -> any Error {
        guard var error = error as? DownloadError, damaged.withLock({ $0 }) == nil else { return error }
        error.message += " Until the repair is complete, the file is '\(paths.part)'."
        return error
    }

    /// Removes the manifest if the damaged file was not renamed. Blocks.
    func end() {
        guard damaged.withLock({ $0 }) != nil else { return }
        // Ignored: the original failure is reported.
        try? ManifestStore(paths).remove()
    }
}
