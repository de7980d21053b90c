public import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The operations of a queue. Each call returns when its change is stored; calls can be combined and repeated
/// freely. A change takes effect even if the task of the call is cancelled; a call that then waits for
/// running downloads to stop throws `CancellationError` instead.
extension DownloadManager {
    // MARK: Adding

    /// Adds a download, unless the queue already contains it, as identified by its key or otherwise its URL.
    ///
    /// - Returns: The receipt of the download in the queue.
    /// - Throws: `DownloadError`: `duplicate` if the existing one has another destination, or the request
    ///   differs in settings other than headers, credentials and priority (use ``change(_:_:)`` to change
    ///   them); `fileExists` if ``ManagerConfiguration/resolveExisting`` decides so; `invalidSetting`; or a
    ///   disk error. In these cases nothing was added.
    @discardableResult
    public func add(_ entry: QueueEntry) async throws -> Receipt {
        try await add([entry])[0].get()
    }

    /// Adds a download for a request.
    ///
    /// - Returns: See `add(_:)` for an entry.
    /// - Throws: The errors of `add(_:)` for an entry.
    @discardableResult
    public func add(_ request: DownloadRequest) async throws -> Receipt {
        try await add(QueueEntry(request))
    }

    /// Adds many downloads, in order, and stores them in one transaction.
    ///
    /// - Returns: For each entry, its receipt, or the reason why it was not added.
    /// - Throws: `DownloadError` if the queue cannot be written; in that case nothing was added.
    public func add(_ entries: [QueueEntry]) async throws -> [Result<Receipt, DownloadError>] {
        try await add(entries, known: nil).results
    }

    /// Adds many downloads as `add(_:)` does, and requeues existing ones that are complete or have failed:
    /// the next run asks the server whether a complete file has changed, as a new download would, and resumes
    /// a failed one.
    ///
    /// - Returns: For each entry, its receipt or the reason why it was not added; and the requeued downloads.
    /// - Throws: `DownloadError` if the queue cannot be written; in that case nothing was added.
    package func addAgain(
        _ entries: [QueueEntry]
    ) async throws -> (results: [Result<Receipt, DownloadError>], putBack: Set<Receipt.ID>) {
        try await add(entries, known: nil, putsBack: true)
    }

    /// Adds a download, unless another one from its URL was added since the caller checked.
    ///
    /// - Parameter known: All downloads from that URL that the caller knows of; `nil` if it did not check.
    /// - Throws: `StaleSnapshot` if others exist now, and the errors of `add(_:)`. In these cases nothing was
    ///   added.
    package func add(_ entry: QueueEntry, known: [Receipt.ID]?) async throws -> Receipt {
        try await add([entry], known: known).results[0].get()
    }

    /// - Parameter putsBack: True if complete and failed downloads are requeued.
    private func add(
        _ entries: [QueueEntry], known: [Receipt.ID]?, putsBack: Bool = false
    ) async throws -> (results: [Result<Receipt, DownloadError>], putBack: Set<Receipt.ID>) {
        try checkIsOpen()
        var resolved: [Result<QueueEntry, DownloadError>] = []
        for entry in entries {
            do {
                resolved.append(.success(try await self.resolved(entry)))
            } catch {
                resolved.append(.failure(error))
            }
        }
        try checkIsOpen()
        // No other change can occur between this check and the insertion.
        if let known, entries.contains(where: { ids(from: $0.request.source) != known }) {
            throw StaleSnapshot()
        }
        queue.hold(entries.map { QueueRecord.Identifier($0.key, $0.request.source) })
        var added: [Receipt.ID] = []
        var putBack: Set<Receipt.ID> = []
        let results = resolved.map { entry in
            Result { () throws(DownloadError) in
                var (record, isNew) = try insert(entry.get())
                if isNew { added.append(record.id) }
                if putsBack, record.state == .completed || record.state == .failed {
                    record = self.putBack(record, isPaused: try entry.get().startsPaused)
                    putBack.insert(record.id)
                }
                return makeReceipt(record)
            }
        }
        do {
            try await flush()
        } catch {
            for id in added { apply(queue.erase(id, withFiles: false)) }
            throw error
        }
        queue.admit(added)
        reschedule()
        try finishChange()
        return (results, putBack)
    }

    private func putBack(_ record: QueueRecord, isPaused: Bool) -> QueueRecord {
        apply(queue.addAgain(record.id))
        if isPaused { apply(queue.pause(record.id)) }
        return queue.records[record.id] ?? record
    }

    private func insert(_ entry: QueueEntry) throws(DownloadError) -> (QueueRecord, isNew: Bool) {
        try entry.request.validate()
        let record = try QueueRecord(entry, id: queue.makeID(), now: Date())
        let existing = try queue.existing(record)
        if record.isAuthorized { authorizations[existing?.id ?? record.id] = entry.request.authorization }
        if let existing { return (existing, false) }
        apply(queue.add(record))
        return (record, true)
    }

    // MARK: Running

    /// Resumes or retries all downloads that are not complete: paused, failed, cancelled, or waiting for a
    /// retry.
    ///
    /// - Returns: The current receipts of the selected downloads, except those removed in the meantime.
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist, or a disk error.
    @discardableResult
    public func start(_ selection: Selection) async throws -> [Receipt] {
        try await each(selection) { queue, id, _ in queue.start(id) }
    }

    /// Stops downloads until they are resumed. Returns when all of their connections are closed and their
    /// checkpoints are on disk. Complete, failed and cancelled downloads are unaffected.
    ///
    /// - Returns: The current receipts of the selected downloads, except those removed in the meantime.
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist, or a disk error.
    @discardableResult
    public func pause(_ selection: Selection) async throws -> [Receipt] {
        try await each(selection, waits: true) { queue, id, _ in queue.pause(id) }
    }

    /// Resumes paused downloads; all others are unaffected.
    ///
    /// - Returns: The current receipts of the selected downloads, except those removed in the meantime.
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist, or a disk error.
    @discardableResult
    public func resume(_ selection: Selection) async throws -> [Receipt] {
        try await each(selection) { queue, id, _ in queue.resume(id) }
    }

    /// Cancels downloads. Their bytes remain on disk: ``start(_:)`` resumes from them, and
    /// ``remove(_:withFiles:)`` removes them. Returns when their connections are closed.
    ///
    /// - Returns: The current receipts of the selected downloads, except those removed in the meantime.
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist, or a disk error.
    @discardableResult
    public func cancel(_ selection: Selection) async throws -> [Receipt] {
        try await each(selection, waits: true) { queue, id, now in queue.cancel(id, now: now) }
    }

    /// Removes downloads from the queue, in any state. Returns when their connections are closed.
    ///
    /// - Parameters:
    ///   - selection: The downloads.
    ///   - withFiles: True to also remove their unfinished and finished files. A finished file that another
    ///     program has since changed or replaced is kept.
    /// - Returns: Their last receipts.
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist, or a disk error.
    @discardableResult
    public func remove(_ selection: Selection, withFiles: Bool = false) async throws -> [Receipt] {
        try checkIsOpen()
        let receipts = try receipts(selection)
        try await each(.ids(receipts.map(\.id)), waits: true) { queue, id, _ in
            queue.remove(id, withFiles: withFiles)
        }
        try await finishErasures()
        release(queue.held(for: .space))
        return receipts
    }

    /// Downloads everything again from the first byte. A finished file is replaced when the new one is
    /// complete, unless another program has changed it since; in that case, the request's `ifExists` applies.
    ///
    /// - Returns: The current receipts of the selected downloads, except those removed in the meantime.
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist, or a disk error.
    @discardableResult
    public func restart(_ selection: Selection) async throws -> [Receipt] {
        try await each(selection) { queue, id, _ in queue.restart(id) }
    }

    /// Sets another URL for a download, for example after a signed one has expired. Its bytes are kept if the
    /// new URL serves the same file. A failed download starts again.
    ///
    /// - Parameters:
    ///   - source: The new URL.
    ///   - id: The download.
    /// - Returns: The receipt with the new URL.
    /// - Throws: `DownloadError`: `notFound`, `duplicate` if another download has that URL, or a disk error.
    @discardableResult
    public func setSource(_ source: Source, of id: Receipt.ID) async throws -> Receipt {
        try checkIsOpen()
        let ids = try queue.ids(.id(id))
        if let credentials = source.credentials {
            authorizations[id, default: Authorization()].credentials = credentials
        }
        try await perform(on: ids) { queue, id in
            try queue.setSource(source.withoutCredentials, of: id)
        }
        return try require(id)
    }

    /// Changes settings of a download. A running download is restarted and resumes; a failed one remains
    /// failed.
    ///
    ///     try await manager.change(id) { $0.request.rate = 1_000_000 }
    ///
    /// - Parameters:
    ///   - id: The download.
    ///   - edit: Modifies the entry that the download was added with. The destination can be changed until
    ///     the first byte is on disk, and the naming until the path is known. The entry has only those header
    ///     fields and credentials that this manager has received. Its `startsPaused` is ignored, and
    ///     so is its `startsOver` once the first byte is on disk.
    /// - Returns: The receipt with the changes.
    /// - Throws: `DownloadError`: `notFound`; `duplicate` if another download has that URL, key or
    ///   destination; `invalidSetting`, also for another destination of a download with bytes on disk; a disk
    ///   error; or the error of `edit`. In these cases nothing was changed.
    @discardableResult
    public func change(
        _ id: Receipt.ID, _ edit: @Sendable (inout QueueEntry) throws(DownloadError) -> Void
    ) async throws -> Receipt {
        try await change(id, isReauthorized: false, edit)
    }

    /// Changes settings of a download.
    ///
    /// - Parameter isReauthorized: True if a run must request its header fields and credentials again
    ///   (``ManagerConfiguration/authorize``).
    @discardableResult
    package func change(
        _ id: Receipt.ID, isReauthorized: Bool,
        _ edit: @Sendable (inout QueueEntry) throws(DownloadError) -> Void
    ) async throws -> Receipt {
        try await perform(on: try queue.ids(.id(id))) { queue, id in
            try change(id, in: &queue, isReauthorized: isReauthorized, edit)
        }
        return try require(id)
    }

    /// Changes settings of many downloads, in one transaction for each ``batch``. A download that `edit` does
    /// not change is not stored again.
    ///
    /// - Throws: The errors of ``change(_:_:)``; the downloads before the refused one are then changed.
    package func change(
        each ids: [Receipt.ID],
        _ edit: @Sendable (Receipt.ID, inout QueueEntry) throws(DownloadError) -> Void
    ) async throws {
        try await perform(on: ids) { queue, id in
            try change(id, in: &queue) { (entry) throws(DownloadError) in try edit(id, &entry) }
        }
    }

    // MARK: Order

    /// Moves downloads before all others, in their order. Running downloads continue.
    ///
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist, or a disk error.
    public func moveToFront(_ selection: Selection) async throws {
        try await perform(on: try queue.ids(selection).reversed()) { queue, id in queue.move(id, to: .front) }
    }

    /// Moves downloads after all others, in their order.
    ///
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist, or a disk error.
    public func moveToBack(_ selection: Selection) async throws {
        try await perform(on: try queue.ids(selection)) { queue, id in queue.move(id, to: .back) }
    }

    /// Moves downloads before another one, in their order.
    ///
    /// - Parameters:
    ///   - selection: The downloads.
    ///   - other: The download that will follow them.
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist, or a disk error.
    public func move(_ selection: Selection, before other: Receipt.ID) async throws {
        _ = try queue.ids(.id(other))
        try await perform(on: try queue.ids(selection)) { queue, id in queue.move(id, to: .before(other)) }
    }

    /// Moves a download to a position among those in some states, in one step: the download at that position
    /// cannot be removed in between.
    ///
    /// - Parameter place: The position, from 0; numbers beyond the end mean the last position.
    /// - Returns: Its new position.
    /// - Throws: `DownloadError`: `notFound`, or a disk error.
    package func move(
        _ id: Receipt.ID, toPlace place: Int, among states: Set<DownloadState>
    ) async throws -> Int {
        let others = queue.records.ids(in: states).filter { $0 != id }
        let place = min(max(place, 0), others.count)
        let target: QueueState.Target = place < others.count ? .before(others[place]) : .back
        try await perform(on: try queue.ids(.id(id))) { queue, id in queue.move(id, to: target) }
        return place
    }

    /// Sets the priority of downloads: waiting downloads with a higher priority begin first, regardless of
    /// their positions.
    ///
    /// - Parameters:
    ///   - priority: The priority; the default is 0.
    ///   - selection: The downloads.
    /// - Throws: `DownloadError`: `notFound` if a selected one does not exist, or a disk error.
    public func setPriority(_ priority: Int, of selection: Selection) async throws {
        try await perform(on: try queue.ids(selection)) { queue, id in queue.setPriority(priority, of: id) }
    }

    // MARK: Caps

    /// The current caps. Their queue order determines where downloads are added.
    public var limits: Limits { downloader.limits }

    /// Changes the caps. If fewer downloads may be active, the most recently started ones return to the queue
    /// with a checkpoint.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`; the caps are then unchanged.
    public func setLimits(_ limits: Limits) async throws {
        try checkIsOpen()
        let before = downloader.limits
        try downloader.setLimits(limits)
        queue.setLimits(limits)
        // This returns the files of batches to the queue.
        if limits != before { renewBatchFetcher() }
        reschedule()
        await configuration.limitsChanged?(limits)
    }

    // MARK: Each of a selection

    /// The number of records that are read into memory, and then stored, at a time.
    package static let batch = 256

    /// Changes downloads, and returns when the change is stored.
    ///
    /// - Parameter waits: True to return only after all downloads that must stop have stopped.
    func perform(
        on ids: [Receipt.ID], waits: Bool = false,
        _ change: (inout QueueState, Receipt.ID) throws -> [QueueState.Action]
    ) async throws {
        try checkIsOpen()
        var isReordered = false
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            let batch = Array(ids[start..<min(start + Self.batch, ids.count)])
            queue.hold(batch)
            var actions: [QueueState.Action] = []
            do {
                for id in batch { actions += try change(&queue, id) }
            } catch {
                // Otherwise the changes before it would never be stored.
                apply(actions)
                throw error
            }
            isReordered = isReordered || actions.contains(.reordered)
            apply(actions.filter { $0 != .reordered })
        }
        // Observers read the whole queue again, so one event reports all batches.
        if isReordered { apply([.reordered]) }
        reschedule()
        if waits { try await waitUntilStopped(ids) }
        try await flush()
        try finishChange()
    }

    @discardableResult
    private func each(
        _ selection: Selection, waits: Bool = false,
        _ verb: (inout QueueState, Receipt.ID, Date) -> [QueueState.Action]
    ) async throws -> [Receipt] {
        try checkIsOpen()
        let ids = try queue.ids(selection)
        let now = Date()
        try await perform(on: ids, waits: waits) { queue, id in verb(&queue, id, now) }
        return receipts(of: ids)
    }

    /// Returns when all stopping runs of these downloads have ended, and their connections are closed.
    private func waitUntilStopped(_ ids: [Receipt.ID]) async throws {
        for id in ids { try await wait(on: id) { !$0.isStopping(id) } }
        if queue.batched.isEmpty, batchFetcher?.run != nil { await renewBatchFetcher()?.value }
        await downloader.drain()
    }
}

/// The queue has changed since a caller inspected it to decide what to add.
package struct StaleSnapshot: Error {}
