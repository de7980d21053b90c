internal import SystemPackage

/// `NAME.part.segdl` on disk. Only the holder of the part file's lock may write it.
package struct ManifestStore: Sendable {
    package let path: FilePath

    package init(_ paths: DownloadPaths) {
        path = paths.manifest
    }

    package init(path: FilePath) {
        self.path = path
    }

    package enum Content: Equatable, Sendable {
        case absent
        case damaged(ManifestCodec.Damage)
        case manifest(Manifest)
    }

    /// Returns the manifest on disk. Blocks.
    package func load() throws(StorageError) -> Content {
        let bytes: [UInt8]
        do {
            bytes = try read()
        } catch let error where error.errno == .noSuchFileOrDirectory {
            return .absent
        } catch let error where error.errno == .permissionDenied {
            throw ofDirectory ?? error
        }
        do {
            return .manifest(try ManifestCodec.decode(bytes))
        } catch {
            return .damaged(error)
        }
    }

    /// The error of the directory if it explains why the manifest cannot be read, because users know the
    /// directory but not the manifest's name. Blocks.
    private var ofDirectory: StorageError? {
        do {
            _ = try SystemCalls.statusIfThere(path)
            return nil
        } catch {
            return StorageError(
                action: "use the directory", path: path.directory, errno: error)
        }
    }

    /// Returns true if a file was changed at a time without a recorded write, and so by another program.
    /// Blocks.
    package func misses(_ change: SystemCalls.FileStatus) throws(StorageError) -> Bool {
        guard let mine = try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }) else {
            return false
        }
        // Each write is recorded right after it. A kill in between merely causes a comparison of samples.
        return change.modified > mine.modified
    }

    private func read() throws(StorageError) -> [UInt8] {
        try storageCall("read", path) {
            let file = try FileDescriptor.open(
                path, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
            defer { try? file.close() }
            let size = try SystemCalls.status(file).size
            guard size <= ManifestCodec.longest else { return [] }
            return try Array(unsafeUninitializedCapacity: Int(size)) { buffer, count in
                while count < buffer.count {
                    let rest = UnsafeMutableRawBufferPointer(
                        UnsafeMutableBufferPointer(rebasing: buffer[count...]))
                    let read = try file.read(into: rest)
                    guard read > 0 else { break }
                    count += read
                }
            }
        }
    }

    /// Replaces the manifest atomically, without a journal. Blocks.
    package func save(_ manifest: Manifest, durably: Bool) throws {
        let draft = try ManifestDraft(manifest, beside: path, durably: durably)
        try draft.replaceOld()
        draft.close()
    }

    /// Records that the file is complete, so that the next run recognizes it under its final name if this one
    /// is killed right after the rename. Blocks.
    ///
    /// - Parameters:
    ///   - length: The file's length. If it is unknown, the manifest is not changed.
    ///   - durably: True if the file was synced.
    ///   - copy: The inode number of the copy that will have the final name; `nil` if the part file will have
    ///     it.
    package func noteAllIsThere(_ length: Int64, durably: Bool, copy: UInt64? = nil) {
        guard case .manifest(var manifest)? = try? load(), manifest.total == length, length > 0 else {
            return
        }
        manifest.written = [[0, length]]
        if durably {
            manifest.durable = manifest.written
            manifest.durableExtents = nil
        }
        manifest.boot = BootIdentity.current
        manifest.copyInode = copy
        manifest.updated = WallClock.seconds()
        // Ignore an error: without the record the next run treats the file as foreign, and keeps it.
        try? save(manifest, durably: durably)
    }

    /// Removes from the manifest the bytes that a failure may have destroyed in the part file. Blocks.
    ///
    /// A failed sync may have dropped all bytes written since the last one, and the next sync would not
    /// report that again. If another program has truncated the file, none of its bytes can be trusted.
    package func forget(after failure: StorageError) throws {
        guard case .manifest(var manifest) = try load() else { return }
        if failure.isCut { manifest.durable = [] }
        manifest.written = manifest.durable
        try save(manifest, durably: false)
    }

    package func remove() throws(StorageError) {
        for name in [ManifestDraft.path(beside: path), path] {
            do {
                try SystemCalls.remove(name)
            } catch  where error != .noSuchFileOrDirectory {
                throw StorageError(action: "remove", path: name, errno: error)
            } catch {}
        }
    }
}

extension DownloadPaths {
    /// Removes the files of an unfinished download. A part file without a manifest, or with that of another
    /// file, is foreign and is kept. Blocks.
    ///
    /// - Throws: `DownloadError` with code `locked` if another process is writing the file, or
    ///   `StorageError`.
    package func removeUnfinished() throws {
        let store = ManifestStore(self)
        let content = try store.load()
        guard content != .absent else { return }
        let file = try PartFile(self)
        defer { file.close() }
        let status = try file.status()
        // An empty file was just created by locking it.
        if case .manifest(let manifest) = content, manifest.inode != status.inode, status.size > 0 {
            return try store.remove()
        }
        try file.discard()
        try store.remove()
    }
}
