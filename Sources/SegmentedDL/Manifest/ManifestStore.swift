internal import SystemPackage

/// `NAME.part.segdl` on disk. Whoever holds the part file's lock may write it.
struct ManifestStore: Sendable {
    let path: FilePath

    init(_ place: PartPlace) {
        path = place.manifest
    }

    init(path: FilePath) {
        self.path = path
    }

    /// What is there. Blocks.
    enum Content: Equatable, Sendable {
        case absent
        case damaged(ManifestCodec.Damage)
        case manifest(Manifest)
    }

    func load() throws(StorageError) -> Content {
        let bytes: [UInt8]
        do {
            bytes = try read()
        } catch let error where error.errno == .noSuchFileOrDirectory {
            return .absent
        }
        do {
            return .manifest(try ManifestCodec.decode(bytes))
        } catch {
            return .damaged(error)
        }
    }

    /// Whether a file was changed when nothing was noted here: by someone else, then. Blocks.
    func misses(_ change: SystemCalls.FileStatus) throws(StorageError) -> Bool {
        guard let mine = try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }) else {
            return false
        }
        // Each write is noted right after it. A kill in between costs the comparison of a few samples.
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

    /// Replaces the manifest in one step, without a journal. Blocks.
    func save(_ manifest: Manifest, durably: Bool) throws {
        let draft = try ManifestDraft(manifest, beside: path, durably: durably)
        try draft.publish()
        draft.close()
    }

    /// Notes that the whole file is there, so that the next run knows it under its final name, should this one be killed right after
    /// giving that. Blocks.
    ///
    /// - Parameters:
    ///   - length: The file's; a manifest of a length that nobody knew stays as it is.
    ///   - durably: Whether the file was synced.
    func noteAllIsThere(_ length: Int64, durably: Bool) {
        guard case .manifest(var manifest)? = try? load(), manifest.total == length, length > 0 else {
            return
        }
        manifest.written = [[0, length]]
        if durably { manifest.durable = manifest.written }
        manifest.boot = BootIdentity.current
        manifest.updated = WallClock.seconds()
        // Without it the next run takes the file for somebody else's, and leaves it alone.
        try? save(manifest, durably: durably)
    }

    /// Stops trusting what a failure may have taken from the part file. Blocks.
    ///
    /// A failed sync may have dropped all that was written since the last one, and the next sync would not say
    /// so again. Of a file that someone else has cut nothing is certain.
    func forget(after failure: StorageError) throws {
        guard case .manifest(var manifest) = try load() else { return }
        if failure.isCut { manifest.durable = [] }
        manifest.written = manifest.durable
        try save(manifest, durably: false)
    }

    func remove() throws(StorageError) {
        for name in [ManifestDraft.path(beside: path), path] {
            do {
                try SystemCalls.remove(name)
            } catch  where error != .noSuchFileOrDirectory {
                throw StorageError(action: "remove", path: name, errno: error)
            } catch {}
        }
    }
}

extension PartPlace {
    /// Removes what an unfinished download has left. A part file without a manifest, or of another one, is somebody
    /// else's. Blocks.
    ///
    /// - Throws: `DownloadError` with code `locked` if another process writes it now, else `StorageError`.
    func removeUnfinished() throws {
        let store = ManifestStore(self)
        let content = try store.load()
        guard content != .absent else { return }
        let file = try PartFile(self)
        defer { file.close() }
        let status = try file.status()
        // An empty one has just been made, to lock it.
        if case .manifest(let manifest) = content, manifest.inode != status.inode, status.size > 0 {
            return try store.remove()
        }
        try file.discard()
        try store.remove()
    }
}
