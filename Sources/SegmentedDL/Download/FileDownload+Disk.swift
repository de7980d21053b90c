internal import SystemPackage

/// The state of the disk before a download's first request.
enum DiskState: Sendable {
    /// The bytes from an offset must be requested from the server. Another file may already have the name.
    case fetch(EarlierBytes, besides: [ExistingCopy] = [])
    /// Nothing has to be fetched.
    case ended(Ending)
}

/// The outcome of a download that fetches nothing.
enum Ending: Sendable {
    /// A file with that name exists, and the policy is to keep it.
    case leftAlone(FilePath, length: Int64)
    /// The requested file already exists.
    case alreadyRight(ExistingCopy)
    /// An earlier run was killed after it had renamed the file to its final name.
    case named(FilePath, length: Int64)
    /// An earlier run was killed after the last byte.
    case complete(IncompleteFile, Manifest)
}

extension FileDownload {
    /// Determines the state of the disk.
    func inspectDisk(_ attempt: Attempt) async throws -> DiskState {
        // Only a complete copy can exist. The server will probably report that it is unchanged, so the disk
        // is not inspected.
        if !task.mayBeUnfinished, request.ifExists == .replace {
            return .fetch(EarlierBytes())
        }
        let (state, path) = try await stateOnDisk(attempt)
        guard case .fetch(let earlier, _) = state, let path else { return state }
        let copies = try await existingCopies(at: path)
        if let right = copies.first(where: { $0.hasDigests == true }) { return .ended(.alreadyRight(right)) }
        return .fetch(earlier, besides: copies)
    }

    /// Determines which bytes earlier runs left.
    ///
    /// - Returns: The bytes, and the path if a file exists there.
    private func stateOnDisk(_ attempt: Attempt) async throws -> (DiskState, FilePath?) {
        try await DiskThread.run { [self] in
            let expected = DestinationPath.expected(for: request)
            if let expected, request.ifExists != .rename { try isOthers(expected) }
            try expected.map(checkName)
            let manifest = try attempt.restarts ? nil : expected.flatMap { try self.manifest(at: $0) }
            // No digest to look for: pieces are checked as they are fetched.
            if let expected, let manifest, request.pieces == nil,
                let complete = try completeFile(at: paths(for: expected), manifest)
            {
                return (.ended(complete), nil)
            }
            if let expected, let kept = keptUnasked(at: expected) {
                return (.ended(.leftAlone(expected, length: kept.size)), nil)
            }
            // A path that the caller chose is checked before the first request.
            if let path = request.destination.file, !makesLater(path.directory) {
                let policy = recognizesCopies ? .replace : request.ifExists
                if case .skip(let path) = try DestinationChoice.decide(path, policy: policy) {
                    return (.ended(.leftAlone(path, length: Self.length(at: path))), nil)
                }
            }
            let taken = expected.flatMap { isTaken($0) ? $0 : nil }
            return (.fetch(try earlierBytes(at: expected, manifest)), taken)
        }
    }

    /// True if the directory is missing, and will be created only after the server has responded, so that a
    /// missing remote file leaves no empty directory. Blocks.
    private func makesLater(_ directory: FilePath) -> Bool {
        request.makesDirectory && (try? SystemCalls.statusFollowingLinks(directory)) == nil
    }

    /// Creates the directory of a file, if the request says so. Blocks.
    func makeDirectory(of path: FilePath) throws {
        guard request.makesDirectory, !task.isCheckOnly else { return }
        try DestinationChoice.makeDirectory(path.directory)
    }

    /// - Throws: `DownloadError` with code `badPath` if the name is that of another download's part file or
    ///   manifest. Blocks.
    func checkName(_ path: FilePath) throws {
        try OwnFiles.checkName(path)
        // The policy then chooses an unused name.
        if request.ifExists != .rename { try OwnFiles.checkIsNoPartFile(path) }
    }

    /// Returns the temporary paths of an incomplete file.
    func paths(for path: FilePath) -> DownloadPaths {
        if let paths = task.paths, paths.destination == path { return paths }
        return DownloadPaths(path, in: configuration.incompleteDirectory)
    }

    static func length(at path: FilePath) -> Int64 {
        (try? SystemCalls.status(path).size) ?? 0
    }

    private func manifest(at path: FilePath) throws -> Manifest? {
        guard case .manifest(let manifest) = try ManifestStore(paths(for: path)).load() else { return nil }
        return manifest.recognizing(request.sources)
    }

    /// Returns the bytes that an earlier run left. This is only a hint: nothing is locked yet, and later
    /// steps decide whether the bytes belong to the same file. Blocks.
    private func earlierBytes(at expected: FilePath?, _ manifest: Manifest?) throws -> EarlierBytes {
        var manifest = manifest
        // The file then gets another name.
        if request.ifExists == .rename, let expected {
            guard case .proceed(let path)? = try? DestinationChoice.decide(expected, policy: .rename) else {
                return EarlierBytes()
            }
            if path != expected { manifest = try self.manifest(at: path) }
        }
        return manifest.map { EarlierBytes($0, boot: BootIdentity.current) } ?? EarlierBytes()
    }

    // MARK: Files that an earlier run completed

    /// Returns the outcome if an earlier download of the same URL needs no more bytes; otherwise `nil`.
    /// Blocks.
    private func completeFile(at paths: DownloadPaths, _ manifest: Manifest) throws -> Ending? {
        guard request.sources.contains(where: { manifest.urlDigest == $0.digest }), manifest.total > 0 else {
            return nil
        }
        if try finishNaming(paths, manifest) { return .named(paths.destination, length: manifest.total) }
        // A repair that was killed at its start leaves only a manifest, and opening the part file would
        // create an empty one.
        guard manifest.trustsAll(boot: BootIdentity.current),
            try storageCall("look at", paths.part, { try SystemCalls.statusIfThere(paths.part) }) != nil
        else { return nil }
        let file = try IncompleteFile.open(paths)
        let status = try file.part.status()
        guard status.inode == manifest.inode, status.size == manifest.total,
            try !file.store.misses(status), try isIntact(file.part, manifest)
        else {
            file.close()
            return nil
        }
        return .complete(file, manifest)
    }

    /// Returns true if no byte of the complete file has changed since it was written. Blocks.
    private func isIntact(_ part: PartFile, _ manifest: Manifest) throws -> Bool {
        guard configuration.checksResumedBytes, let list = manifest.extents(boot: BootIdentity.current)
        else { return true }
        return try list.extents.allSatisfy { try $0.isIntact(in: part) }
    }

    /// Performs the steps after the rename, if these are all that an earlier run left undone. Blocks.
    ///
    /// - Returns: False if the file does not have its final name.
    private func finishNaming(_ paths: DownloadPaths, _ manifest: Manifest) throws -> Bool {
        let path = paths.destination
        guard let status = try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }),
            status.inode == manifest.copyInode ?? manifest.inode, status.size == manifest.total
        else { return false }
        // Any program can rename an unfinished file to that name.
        guard manifest.trustsAll(boot: BootIdentity.current) else { return false }
        if configuration.durability == .power { try Finalizer.synchronizeDirectory(of: path) }
        if manifest.copyInode != nil {
            try paths.removeUnfinished()
        } else {
            try ManifestStore(paths).remove()
        }
        return true
    }
}
