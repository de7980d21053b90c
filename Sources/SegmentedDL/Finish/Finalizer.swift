internal import SystemPackage

/// The system calls of a download's last step: `NAME.part` becomes `NAME`, atomically.
///
/// The order matters: the data and its length are durable before the name appears, and the name is durable
/// before the manifest is removed. A kill in between leaves a state that the next run recognizes.
enum Finalizer {
    /// A complete file before its rename.
    struct ReadyFile: Sendable {
        let path: FilePath
        let identity: FileIdentity
        /// The file itself, if it is unnamed.
        var unnamed: PartFile?
    }

    /// Prepares a complete and verified part file for its final name. Blocks.
    ///
    /// - Parameters:
    ///   - modified: Its new date, in seconds since 1970; `nil` for the time of its last write.
    ///   - origin: The remote file that it is a copy of; `nil` if its origin is recorded elsewhere.
    /// - Throws: `DownloadError` with code `badPath`, otherwise `StorageError`.
    static func prepare(
        _ part: PartFile, at paths: DownloadPaths, length: Int64, modified: Int64? = nil,
        origin: OriginMark.Origin? = nil, manifest: ManifestStore, durability: Durability
    ) throws -> ReadyFile {
        if let modified { try part.setModified(modified) }
        if let origin { OriginMark.mark(part, as: origin, try part.status()) }
        if durability == .power {
            do {
                try part.synchronize()
            } catch {
                try? manifest.forget(after: error)
                throw error
            }
        }
        // Renaming works by name, so the name must still refer to the file that received the bytes.
        let status = try part.checkIsWhole(length: length)
        // An unnamed file is in the directory of its final name.
        guard !part.isUnnamed else {
            return ReadyFile(path: part.path, identity: FileIdentity(status), unnamed: part)
        }
        manifest.noteAllIsThere(length, durably: durability == .power)
        let directory = try storageCall("use the directory", paths.destination.directory) {
            try SystemCalls.statusFollowingLinks(paths.destination.directory)
        }
        guard directory.device != status.device else {
            return ReadyFile(path: part.path, identity: FileIdentity(status))
        }
        let copied = try copy(part, to: paths, length: length, modified, origin, durability)
        manifest.noteAllIsThere(length, durably: durability == .power, copy: copied.identity.inode)
        return copied
    }

    /// Copies the file to the file system of its final name, because a rename cannot cross file systems.
    private static func copy(
        _ part: PartFile, to paths: DownloadPaths, length: Int64, _ modified: Int64?,
        _ origin: OriginMark.Origin?, _ durability: Durability
    ) throws -> ReadyFile {
        let copy = try PartFile(paths.moving, for: paths.destination)
        defer { copy.close() }
        do {
            try copy.empty()
            try copy.preallocate(length)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024 * 1024, alignment: 4096)
            defer { buffer.deallocate() }
            var done: Int64 = 0
            while done < length {
                let count = try part.read(into: buffer, at: done)
                guard count > 0 else { throw StorageError.cut(part.path) }
                try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: done)
                done += Int64(count)
            }
            if let modified { try copy.setModified(modified) }
            if let origin { OriginMark.mark(copy, as: origin, try copy.status()) }
            if durability == .power { try copy.synchronize() }
            return ReadyFile(path: paths.moving, identity: FileIdentity(try copy.status()))
        } catch {
            try? copy.discard()
            throw error
        }
    }

    /// Renames the file to its final name, and removes the files of the unfinished download. Blocks.
    ///
    /// - Returns: The final name, which may differ from the requested one if `policy` is `rename`.
    /// - Throws: `DownloadError` with code `fileExists` or `badPath`, otherwise `StorageError`.
    static func publish(
        _ ready: ReadyFile, of part: PartFile, manifest: ManifestStore, policy: ExistingFilePolicy,
        durability: Durability
    ) throws -> FilePath {
        let name: FilePath
        do {
            name = try giveName(ready, of: part, policy: policy)
        } catch {
            if ready.path != part.path {
                try? SystemCalls.remove(ready.path)
                // Another file may get the copy's inode number.
                manifest.noteAllIsThere(ready.identity.size, durably: durability == .power)
            }
            throw error
        }
        if durability == .power { try synchronizeDirectory(of: name) }
        if ready.path != part.path { try part.discard() }
        try manifest.remove()
        return name
    }

    /// Gives the file its final name, which is not durable yet. Blocks.
    ///
    /// - Throws: The errors of `publish`.
    static func giveName(
        _ ready: ReadyFile, of part: PartFile, policy: ExistingFilePolicy
    ) throws -> FilePath {
        let (path, destination) = (ready.path, part.destination)
        if policy.replaces { return try replace(ready, destination) }
        if ready.unnamed == nil { try checkIsThere(ready, at: path) }
        var name = destination
        while true {
            do {
                if let unnamed = ready.unnamed {
                    try unnamed.giveFinalName(name)
                } else {
                    try SystemCalls.renameExclusively(path, to: name)
                }
                return name
            } catch Errno.fileExists where policy == .rename {
                name = DestinationChoice.freeName(for: destination)
            } catch Errno.fileExists {
                throw DestinationChoice.existsError(name)
            } catch {
                throw StorageError(action: "give the final name to", path: path, errno: error)
            }
        }
    }

    private static func replace(_ ready: ReadyFile, _ destination: FilePath) throws -> FilePath {
        // It may have become a directory during the download.
        try OwnFiles.checkIsNoPartFile(destination)
        var path = ready.path
        if let unnamed = ready.unnamed {
            // Usually there is no file to replace.
            do {
                try unnamed.giveFinalName(destination)
                return destination
            } catch Errno.fileExists {
                // Do not use the part file's name: a kill would leave a part file without a manifest, which
                // counts as foreign.
                path = DownloadPaths(destination).moving
                try storageCall("name", path) {
                    if try SystemCalls.statusIfThere(path) != nil { try SystemCalls.remove(path) }
                    try unnamed.giveFinalName(path)
                }
            } catch {
                throw StorageError(action: "give the final name to", path: path, errno: error)
            }
        }
        do {
            try checkIsThere(ready, at: path)
            keepMode(of: destination, on: path)
            try storageCall("give the final name to", path) { try SystemCalls.rename(path, to: destination) }
            return destination
        } catch {
            // The temporary name was needed only for the rename.
            if path != ready.path { try? SystemCalls.remove(path) }
            throw error
        }
    }

    /// Gives a file the permissions of the one that it replaces, as if that one had been overwritten. A
    /// symbolic link has none, and is itself replaced.
    private static func keepMode(of old: FilePath, on path: FilePath) {
        guard let before = try? SystemCalls.status(old), before.kind == .file,
            let now = try? SystemCalls.status(path), now.permissions != before.permissions
        else { return }
        _ = try? SystemCalls.setMode(of: path, to: before.permissions)
    }

    /// Checks that the name still refers to the file, because renaming works by name.
    private static func checkIsThere(_ ready: ReadyFile, at path: FilePath) throws {
        guard ready.identity.isAt(path) else { throw StorageError.cut(path).asDownloadError }
    }

    /// Makes a name durable (`fsync(2)` of its directory).
    static func synchronizeDirectory(of path: FilePath) throws(StorageError) {
        try synchronize(path.directory)
    }

    /// Makes the names in a directory durable.
    static func synchronize(_ directory: FilePath) throws(StorageError) {
        _ = try storageCall("synchronize the directory", directory) {
            try SystemCalls.synchronizeNames(in: directory)
        }
    }
}
