internal import SystemPackage

/// What is on the disk of a download. All of this blocks.
extension QueueRecord {
    private func place(_ incompleteDirectory: FilePath?) -> PartPlace? {
        path.map { PartPlace($0, in: incompleteDirectory) }
    }

    /// The record with the numbers that the next run will begin with.
    func withBytesOnDisk(_ incompleteDirectory: FilePath?) -> QueueRecord {
        guard state != .completed, identity == nil, let place = place(incompleteDirectory) else {
            return self
        }
        var record = self
        guard case .manifest(let manifest)? = try? ManifestStore(place).load(), !startsOver else {
            record.bytesCompleted = 0
            return record
        }
        record.bytesCompleted = manifest.trusted(boot: BootIdentity.current).byteCount
        record.bytesTotal = manifest.total
        return record
    }

    /// The complete file, if this download has given it its final name already; what was left to be done after
    /// that is made up for.
    func finished(_ incompleteDirectory: FilePath?) throws -> (path: FilePath, length: Int64)? {
        guard let identity, let place = place(incompleteDirectory),
            let path = Self.find(identity, at: place.destination, isRenamed: options.ifExists == .rename)
        else { return nil }
        try ManifestStore(place).remove()
        return (path, identity.size)
    }

    /// Who renames may have had to take another name at the last moment.
    private static func find(_ identity: FileIdentity, at path: FilePath, isRenamed: Bool) -> FilePath? {
        if identity.isAt(path) { return path }
        guard isRenamed else { return nil }
        return DestinationChoice.takenNames(for: path).first(where: identity.isAt)
    }

    /// Removes the finished file, if it is still the one that was downloaded, and the unfinished one.
    ///
    /// - Throws: `DownloadError` with code `locked` if another process writes it now, or an error of the disk.
    func removeFiles(_ incompleteDirectory: FilePath?) throws {
        guard let place = place(incompleteDirectory) else { return }
        do {
            for known in [identity, replaces].compactMap({ $0 }) {
                let isRenamed = options.ifExists == .rename
                guard let path = Self.find(known, at: place.destination, isRenamed: isRenamed) else {
                    continue
                }
                try storageCall("remove", path) { try SystemCalls.remove(path) }
            }
            // Without a manifest a part file of that name is somebody else's.
            let store = ManifestStore(place)
            guard try store.load() != .absent else { return }
            let part = try PartFile(place)
            defer { part.close() }
            try part.discard()
            try store.remove()
        } catch let error as StorageError {
            throw error.asDownloadError
        }
    }
}
