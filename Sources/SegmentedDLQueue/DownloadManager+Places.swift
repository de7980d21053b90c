public import SegmentedDL
public import SystemPackage

/// Moved directories.
extension DownloadManager {
    /// Changes the paths of all downloads in a directory that has been moved or renamed. Running downloads
    /// there are stopped and resumed at the new path with the existing bytes; no file is moved.
    ///
    /// - Parameters:
    ///   - old: The previous path of the directory.
    ///   - new: The new path of the directory.
    /// - Returns: The receipts of the downloads whose paths have changed.
    /// - Throws: `DownloadError`: `invalidSetting` for a path that cannot be stored, `waitsForItself` in a
    ///   closure of the configuration that a download awaits, if one of them is running, or a disk error.
    @discardableResult
    public func relocate(from old: FilePath, to new: FilePath) async throws -> [Receipt] {
        try checkIsOpen()
        let move = Move(old: try old.storable(), new: try new.storable())
        var ids: [Receipt.ID] = []
        queue.records.forEach(queue.records.ids) { record in
            var moved = record
            moved.relocate(move)
            if moved != record { ids.append(record.id) }
        }
        let running = ids.filter { queue.isRunning($0) }
        if !running.isEmpty {
            try CallerClosure.checkMayWait(for: "the downloads in '\(old)' to stop", of: self)
        }
        try await pause(.ids(running))
        for id in ids where !queue.isRunning(id) { apply(queue.relocate(id, move)) }
        try await resume(.ids(running))
        try await flush()
        try finishChange()
        return receipts(of: ids)
    }
}

extension QueueState {
    mutating func relocate(_ id: ID, _ move: Move) -> [Action] {
        let actions = edit(id) { $0.relocate(move) }
        if let record = records[id], let path = record.path ?? record.destination.file { own(path, id) }
        return actions
    }
}

extension DownloadManager {
    /// Queries a server about a file, with the settings of this queue, without adding a download.
    ///
    /// - Returns: The length, the name, and whether the server supports ranges.
    /// - Throws: `DownloadError`, with code `waitsForItself` in ``ManagerConfiguration/chooseDestination``,
    ///   whose download holds the slot and the connection that the request might need, or `shutDown` if the
    ///   manager is shut down; `CancellationError` if the task is cancelled.
    public nonisolated func inspect(_ request: DownloadRequest) async throws -> RemoteFile {
        try CallerClosure.checkMayWait(for: "a connection", by: .transfer, of: self)
        return try await downloader.inspect(request)
    }
}
