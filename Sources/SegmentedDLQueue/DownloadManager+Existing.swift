internal import SegmentedDL
internal import SystemPackage

/// The caller's decision about existing files with the names of downloads.
extension DownloadManager {
    /// Calls the closure for a new entry that would fail because of an existing file.
    ///
    /// - Returns: The entry with the chosen policy.
    /// - Throws: `DownloadError`: `fileExists` if the policy is `fail`, or the closure's error.
    func resolved(_ entry: QueueEntry) async throws(DownloadError) -> QueueEntry {
        let request = entry.request
        guard configuration.resolveExisting != nil, request.ifExists == .fail, !request.takesOver,
            let path = try? request.destination.absolute().file,
            queue.record(QueueRecord.Identifier(entry.key, request.source)) == nil,
            let length = await Self.length(at: path)
        else { return entry }
        let file = ExistingFile(key: entry.key, source: request.source, path: path, length: length)
        var entry = entry
        entry.request.ifExists = try await policy(for: file)
        guard entry.request.ifExists != .fail else { throw DestinationChoice.existsError(path) }
        return entry
    }

    /// Calls the closure for a download that has failed because of an existing file.
    ///
    /// - Returns: True if the download has another policy now, and can be retried.
    func resolves(_ error: DownloadError, of record: QueueRecord, run: Int) async throws -> Bool {
        guard error.code == .fileExists, record.request.ifExists == .fail,
            configuration.resolveExisting != nil, let path = error.existing.map({ FilePath($0) })
        else { return false }
        let length = await Self.length(at: path) ?? 0
        let file = ExistingFile(
            id: record.id, key: record.key, source: record.source, path: path, length: length)
        let chosen = try await asking("The policy for '\(path)' could not be chosen", record) {
            try await policy(for: file)
        }
        guard chosen != .fail else { return false }
        guard !isShutDown, queue.isCurrent(record.id, run: run) else { throw CancellationError() }
        apply(queue.edit(record.id) { $0.request.ifExists = chosen })
        try await flush()
        return true
    }

    /// - Throws: `DownloadError`: that of the closure, or one with code `closureFailed`.
    private func policy(for file: ExistingFile) async throws(DownloadError) -> ExistingFilePolicy {
        guard let resolve = configuration.resolveExisting else { return .fail }
        do {
            return try await resolve(file, self)
        } catch {
            throw DownloadError(
                ofClosure: error, "The policy for '\(file.path)' could not be chosen",
                url: file.source.description)
        }
    }

    /// Returns the length of a regular file in bytes; `nil` if none exists.
    private static func length(at path: FilePath) async -> Int64? {
        await DiskThread.run {
            guard let status = try? SystemCalls.statusFollowingLinks(path), status.kind == .file else {
                return nil
            }
            return status.size
        }
    }
}
