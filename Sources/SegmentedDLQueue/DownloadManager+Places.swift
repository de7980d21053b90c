public import SegmentedDL
public import SystemPackage

/// Moved directories.
extension DownloadManager {
    /// Changes the paths of all downloads in a directory that has been moved or renamed. Running downloads
    /// there are stopped and resumed at the new path with the existing bytes; no file is moved.
    ///
    /// All paths change in one transaction: after a kill, either all of them have changed, or none. A
    /// download that is paused or cancelled in the meantime does not resume.
    ///
    /// - Parameters:
    ///   - old: The previous path of the directory.
    ///   - new: The new path of the directory.
    /// - Returns: The receipts of the downloads whose paths have changed.
    /// - Throws: `DownloadError`: `invalidSetting` for an empty path or one that cannot be stored,
    ///   `waitsForItself` in a closure of the configuration that a download awaits, if one of them is
    ///   running, `shutDown`, or a disk error. `CancellationError` if the task was cancelled before the call,
    ///   which then has no effect; a later cancellation has none.
    @discardableResult
    public func relocate(from old: FilePath, to new: FilePath) async throws -> [Receipt] {
        try checkIsOpen()
        for path in [old, new] { try path.checkIsNotEmpty() }
        let move = Move(old: try old.storable(), new: try new.storable())
        var ids: [Receipt.ID] = []
        queue.records.forEach(queue.records.ids) { record in
            var moved = record
            moved.relocate(move)
            if moved != record { ids.append(record.id) }
        }
        if ids.contains(where: { queue.isRunning($0) }) {
            try CallerClosure.checkMayWait(for: "the downloads in '\(old)' to stop", of: self)
        }
        try Task.checkCancellation()
        apply(queue.beginMove(ids))
        try await finish(move, of: ids)
        try finishChange()
        return receipts(of: ids)
    }

    /// Waits until downloads have stopped, and changes their paths. Cancelling the task has no effect.
    ///
    /// - Throws: `DownloadError` with code `shutDown`, or a disk error.
    private func finish(_ move: Move, of ids: [Receipt.ID]) async throws {
        defer {
            queue.endMove(ids)
            reschedule()
        }
        for id in ids where queue.isRunning(id) {
            try await wait(on: id, isCancellable: false) { !$0.isRunning(id) }
        }
        await downloader.drain()
        try checkIsOpen()
        queue.hold(ids)
        var actions: [QueueState.Action] = []
        for id in ids { actions += queue.relocate(id, move) }
        apply(actions)
        // Their bytes must not reach the new path before a record refers to it.
        try await flush()
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
