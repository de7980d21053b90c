internal import SegmentedDL
internal import SystemPackage

/// The files of a download. All functions block.
extension QueueRecord {
    /// Returns the record with the figures from disk that the next run will begin with.
    func withBytesOnDisk() -> QueueRecord {
        guard state != .completed, identity == nil || isAddedAgain && part != nil else { return self }
        var record = self
        guard let part, case .manifest(let manifest)? = try? ManifestStore(part).load(), !startsOver else {
            record.bytesCompleted = 0
            return record
        }
        record.bytesCompleted = manifest.trusted(boot: BootIdentity.current).byteCount
        record.bytesTotal = manifest.total
        return record
    }

    /// Returns the complete file, if this download has already renamed it to its final name, and performs the
    /// remaining steps that a kill prevented.
    func finished() throws -> (path: FilePath, length: Int64)? {
        guard !isAddedAgain, let identity, let wanted = path,
            let path = Self.find(identity, at: wanted, isRenamed: request.ifExists == .rename)
        else { return nil }
        if let part { try ManifestStore(part).remove() }
        return (path, identity.size)
    }

    /// With the `rename` policy, another name may have been chosen at the last moment.
    private static func find(_ identity: FileIdentity, at path: FilePath, isRenamed: Bool) -> FilePath? {
        if identity.isAt(path) { return path }
        guard isRenamed else { return nil }
        return DestinationChoice.takenNames(for: path).first(where: identity.isAt)
    }

    /// Removes the finished file, if it is still the downloaded one, and the unfinished file.
    ///
    /// - Throws: `DownloadError` with code `locked` if another process is writing the file, or a disk error.
    func removeFiles() throws {
        guard let wanted = path else { return }
        do {
            for known in [identity, replaces].compactMap({ $0 }) {
                let isRenamed = request.ifExists == .rename
                guard let path = Self.find(known, at: wanted, isRenamed: isRenamed) else {
                    continue
                }
                try storageCall("remove", path) { try SystemCalls.remove(path) }
            }
            try part?.removeUnfinished()
        } catch let error as StorageError {
            throw error.asDownloadError
        }
    }
}
