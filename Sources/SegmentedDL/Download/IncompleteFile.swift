internal import SystemPackage

/// A file that is being downloaded: its part file, locked for this download, and the manifest next to it.
struct IncompleteFile: Sendable {
    let part: PartFile
    let store: ManifestStore
    let paths: DownloadPaths
    /// The contents of a small file that was written when it was opened; otherwise `nil`.
    let smallContent: [UInt8]?
    /// True if another program's file with the final name has become the part file.
    let isTakenOver: Bool

    private init(
        _ part: PartFile, _ paths: DownloadPaths, smallContent: [UInt8]? = nil, isTakenOver: Bool = false
    ) {
        self.part = part
        self.paths = paths
        self.smallContent = smallContent
        self.isTakenOver = isTakenOver
        store = ManifestStore(paths)
    }

    /// Opens and locks the part file, or creates an empty one. Blocks.
    ///
    /// - Throws: `DownloadError` with code `locked`, or `StorageError`.
    static func open(_ paths: DownloadPaths) throws -> IncompleteFile {
        if !paths.isBeside { try DestinationChoice.makeDirectory(paths.part.directory) }
        try OwnFiles.checkIsNotFinished(paths)
        return IncompleteFile(try PartFile(paths), paths)
    }

    /// Turns another program's file with the final name into the part file, and opens it. Blocks.
    ///
    /// - Throws: `DownloadError` with code `locked`, or `badPath` for a symbolic link; `StorageError`,
    ///   including if a part file exists.
    static func takeOver(_ paths: DownloadPaths) throws -> IncompleteFile {
        let status = try storageCall("look at", paths.destination) {
            try SystemCalls.status(paths.destination)
        }
        // The rename would move the link and not the file, and the part file may not be a link.
        guard status.kind != .symbolicLink else {
            let target = SystemCalls.resolved(paths.destination).shown
            throw DownloadError(
                .badPath,
                "'\(paths.destination.shown)' is a symbolic link, which cannot be resumed, and is left unchanged; resume '\(target)' under its own name."
            )
        }
        if !paths.isBeside { try DestinationChoice.makeDirectory(paths.part.directory) }
        try storageCall("rename it to '\(paths.part)', to continue,", paths.destination) {
            try SystemCalls.renameExclusively(paths.destination, to: paths.part)
        }
        return IncompleteFile(try PartFile(paths), paths, isTakenOver: true)
    }

    /// Restores the name of a file that was taken over. Blocks.
    func giveBack() {
        if isTakenOver { try? SystemCalls.renameExclusively(paths.part, to: paths.destination) }
    }

    /// Opens the part file for a first response. A new small file is initially unnamed, because creating and
    /// renaming a name would account for most of its cost. Blocks.
    ///
    /// - Parameter smallBytes: Files shorter than this are small.
    /// - Throws: The errors of `open(_:)`.
    static func open(
        _ paths: DownloadPaths, for first: FirstResponse, smallBytes: Int64
    ) throws -> IncompleteFile {
        guard let length = first.resource.length, length < smallBytes, let unnamed = try unnamed(paths)
        else { return try open(paths) }
        guard let bytes = first.wholeBody else {
            try unnamed.preallocate(length)
            return IncompleteFile(unnamed, paths)
        }
        try unnamed.fill(bytes)
        return IncompleteFile(unnamed, paths, smallContent: bytes)
    }

    /// Stores a whole small file, still unnamed. Blocks.
    ///
    /// - Returns: `nil` if it must have a name from the beginning.
    /// - Throws: `StorageError`.
    static func unnamed(_ paths: DownloadPaths, with bytes: [UInt8]) throws -> IncompleteFile? {
        guard let unnamed = try unnamed(paths) else { return nil }
        try unnamed.fill(bytes)
        return IncompleteFile(unnamed, paths, smallContent: bytes)
    }

    private static func unnamed(_ paths: DownloadPaths) throws -> PartFile? {
        guard paths.isBeside, try ManifestStore(paths).load() == .absent else { return nil }
        return try PartFile.unnamed(paths)
    }

    /// Returns the task that hashes the part file during the transfer; `nil` if no digest is expected.
    ///
    /// - Parameter mayGrow: True if a digest may be expected later.
    /// - Throws: `DownloadError` with code `invalidSetting` if libcrypto lacks an algorithm.
    func frontier(_ expectations: Expectations, mayGrow: Bool = false) throws -> DigestFrontier? {
        let algorithms = expectations.algorithms
        let isNeeded = !algorithms.isEmpty || expectations.composite != nil || mayGrow
        return isNeeded ? try DigestFrontier(part, algorithms, composite: expectations.composite) : nil
    }

    /// Returns the expectations for a complete file, without the server's digest if that describes only the
    /// part of the file that its response contained, as some servers compute it.
    ///
    /// - Parameter digests: The digests of the complete file.
    func corrected(_ expectations: Expectations, by digests: [Checksum]) async throws -> Expectations {
        guard let server = expectations.server, let range = server.part,
            digests.contains(where: { $0.algorithm == server.checksum.algorithm && $0 != server.checksum })
        else { return expectations }
        let found = try await DiskThread.run { [part] in
            try PieceReader(part: part).hash(range, server.checksum.algorithm)
        }
        var expectations = expectations
        if found == server.checksum { expectations.server = nil }
        return expectations
    }

    /// Closes the part file, which releases its lock.
    func close() {
        part.close()
    }

    /// Removes the part file and its manifest. Blocks.
    func discard() throws {
        try part.discard()
        try store.remove()
    }

    /// Sets the part file aside, because its bytes are wrong.
    ///
    /// - Throws: Always; `DownloadError` with code `checksumMismatch` on success.
    func reject(_ mismatch: Expectations.Mismatch) async throws -> Never {
        throw try await DiskThread.run { [part, store] in
            let aside = try part.setAside()
            try store.remove()
            return Expectations.error(part.destination.string, mismatch, kept: "they are kept as '\(aside)'")
        }
    }
}

extension DownloadPaths {
    /// True if the part file is in the directory of the final name.
    fileprivate var isBeside: Bool { part.directory == destination.directory }
}
