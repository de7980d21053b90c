internal import SystemPackage

/// A file that is being downloaded: its part file, locked for this download, and the manifest beside it.
struct IncompleteFile: Sendable {
    let part: PartFile
    let store: ManifestStore
    let paths: DownloadPaths
    /// The bytes of a small file that was written when it was opened; else `nil`.
    let smallContent: [UInt8]?
    /// True if another program's file of the final name has become the part file.
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

    /// Opens and locks the part file, or makes an empty one. Blocks.
    ///
    /// - Throws: `DownloadError` with code `locked`, or `StorageError`.
    static func open(_ paths: DownloadPaths) throws -> IncompleteFile {
        if !paths.isBeside { try DestinationChoice.makeDirectory(paths.part.directory) }
        try OwnFiles.checkIsNotFinished(paths)
        return IncompleteFile(try PartFile(paths), paths)
    }

    /// Makes another program's file of the final name the part file, and opens it. Blocks.
    ///
    /// - Throws: `DownloadError` with code `locked`, or `StorageError`, also if there is a part file already.
    static func takeOver(_ paths: DownloadPaths) throws -> IncompleteFile {
        if !paths.isBeside { try DestinationChoice.makeDirectory(paths.part.directory) }
        try storageCall("rename it to '\(paths.part)', to continue,", paths.destination) {
            try SystemCalls.renameExclusively(paths.destination, to: paths.part)
        }
        return IncompleteFile(try PartFile(paths), paths, isTakenOver: true)
    }

    /// Gives a file that was taken over its name back. Blocks.
    func giveBack() {
        if isTakenOver { try? SystemCalls.renameExclusively(paths.part, to: paths.destination) }
    }

    /// Opens the part file that a first response goes to. A small file, of which nothing is on disk, has no
    /// name at first, because to create and rename a name is most of what it costs. Blocks.
    ///
    /// - Parameter smallBytes: A file of less than this length is small.
    /// - Throws: As `open`.
    static func open(
        _ paths: DownloadPaths, for first: FirstResponse, smallBytes: Int64
    ) throws -> IncompleteFile {
        guard let length = first.resource.length, length < smallBytes, paths.isBeside,
            try ManifestStore(paths).load() == .absent, let unnamed = try PartFile.unnamed(paths)
        else { return try open(paths) }
        guard let bytes = first.wholeBody else {
            try unnamed.preallocate(length)
            return IncompleteFile(unnamed, paths)
        }
        try unnamed.fill(bytes)
        return IncompleteFile(unnamed, paths, smallContent: bytes)
    }

    /// Returns the task that hashes the part file while it is written; `nil` if no digest is expected.
    ///
    /// - Parameter mayGrow: True if a digest may be expected later.
    /// - Throws: `DownloadError` with code `invalidSetting` if libcrypto lacks an algorithm.
    func frontier(_ expectations: Expectations, mayGrow: Bool = false) throws -> DigestFrontier? {
        let algorithms = expectations.algorithms
        return algorithms.isEmpty && !mayGrow ? nil : try DigestFrontier(part, algorithms)
    }

    /// Closes the part file, which drops its lock.
    func close() {
        part.close()
    }

    /// Removes the part file and its manifest. Blocks.
    func discard() throws {
        try part.discard()
        try store.remove()
    }

    /// Sets the part file aside, because its bytes are not the wanted ones.
    ///
    /// - Throws: Always; `DownloadError` with code `checksumMismatch` if all went well.
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
