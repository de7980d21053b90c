public import SegmentedDL
import SegmentedDLDatabase
internal import SegmentedDLSupport
public import SystemPackage

/// The observable state of a queue.
extension DownloadManager {
    /// All receipts, in queue order. Unlike this property, ``receipts(_:)`` throws if some cannot be read.
    public var receipts: [Receipt] {
        receipts(of: queue.records.ids)
    }

    /// The numbers of the downloads in some states, in queue order: a view that shows some of them only needs
    /// to read their receipts.
    package func ids(in states: Set<DownloadState>) -> [Receipt.ID] {
        queue.records.ids(in: states)
    }

    /// The numbers of the downloads from a URL, in queue order.
    package func ids(from source: Source) -> [Receipt.ID] {
        queue.records.ids(from: source.identity)
    }

    /// Returns the request that a download was added with, without header fields and credentials, which are
    /// not stored; `nil` if no download has that number.
    package func request(of id: Receipt.ID) -> DownloadRequest? { queue.records[id]?.request(nil) }

    /// Returns the receipts of downloads in this order, except those removed in the meantime.
    package func receipts(of ids: [Receipt.ID]) -> [Receipt] {
        var receipts: [Receipt] = []
        receipts.reserveCapacity(ids.count)
        queue.records.forEach(ids) { receipts.append(makeReceipt($0)) }
        return receipts
    }

    /// The receipts of running downloads, in the order in which they began.
    public var activeReceipts: [Receipt] {
        queue.running.compactMap { receipt($0) }
    }

    /// The progress of the current transfers, with their segments: for a visualization of the connections.
    public var activeTransfers: [Receipt.ID: DownloadProgress] {
        handles.mapValues(\.currentProgress)
    }

    /// The receipts of a selection, in queue order or, for ``Selection/ids(_:)``, in that of the numbers.
    ///
    /// - Throws: `DownloadError` with code `notFound` if a selected number, key, URL or position does not
    ///   exist.
    public func receipts(_ selection: Selection) throws -> [Receipt] {
        let receipts = receipts(of: try queue.ids(selection))
        try checkIsReadable()
        return receipts
    }

    /// Returns the current receipt of a download; `nil` if none has that number.
    public func receipt(_ id: Receipt.ID) -> Receipt? {
        queue.records[id].map { makeReceipt($0) }
    }

    func makeReceipt(_ record: QueueRecord) -> Receipt {
        var receipt = Receipt(record, handles[record.id]?.currentProgress)
        receipt.hold = queue.holds[record.id]
        return receipt
    }

    /// Returns the current receipt of the first download of a selection; `nil` if none exists.
    ///
    /// - Throws: `DownloadError` if the queue can no longer be read.
    public func receipt(_ selection: Selection) throws -> Receipt? {
        do {
            return try receipts(selection).first
        } catch let error as DownloadError where error.code == .notFound {
            return nil
        }
    }

    /// Returns the current receipt of the first download in the queue with a URL; `nil` if none exists.
    ///
    /// - Parameter url: The text of the URL; if it cannot be requested, there are no downloads from it.
    public func receipt(for url: String) -> Receipt? {
        try? receipts(.url(url)).first
    }

    func require(_ id: Receipt.ID) throws -> Receipt {
        guard let receipt = receipt(id) else {
            try checkIsReadable()
            guard id.rawValue > 0, id <= lastID else { throw QueueState.notFound("number \(id)") }
            throw DownloadError(.notFound, "Download \(id) was removed from the queue.")
        }
        return receipt
    }

    /// The current progress of the whole queue.
    public var progress: QueueProgress {
        var totals = queue.records.totals
        var running: [Receipt] = []
        for (id, handle) in handles {
            guard let record = queue.records[id] else { continue }
            totals.remove(record)
            running.append(Receipt(record, handle.currentProgress))
        }
        var progress = totals.progress
        for receipt in running { progress.add(receipt) }
        return progress
    }

    /// Returns true if a manager in this or another process has the queue open. Blocks on the disk.
    public static func isOpen(storeAt path: FilePath) -> Bool {
        StoreLock.isHeld(for: path)
    }

    /// Returns the receipts of a queue that may be open in another process, in order. Blocks on the disk.
    ///
    /// The figures of downloads that are running there are up to a second old. Downloads that were running
    /// when a process was killed are `queued`.
    ///
    /// The queue is not created or changed, and no write permission is needed, unless a process was killed
    /// while it created the database.
    ///
    /// - Throws: `DownloadError`: `badPath` if no such queue exists, `permissionDenied` if it cannot be read,
    ///   or `badStore` if its database is damaged or of a newer version.
    public static func receipts(inStoreAt path: FilePath) throws(DownloadError) -> [Receipt] {
        var receipts: [Receipt] = []
        try forEachReceipt(inStoreAt: path) { receipts.append($0) }
        return receipts
    }

    /// Runs `body` with each of the receipts of ``receipts(inStoreAt:)``, without loading all of them into
    /// memory.
    ///
    /// - Parameters:
    ///   - path: The queue's database.
    ///   - body: Called with each receipt.
    /// - Throws: The errors of `receipts(inStoreAt:)`, and the error of `body`, which ends the loop.
    public static func forEachReceipt(
        inStoreAt path: FilePath, _ body: (Receipt) throws(DownloadError) -> Void
    ) throws(DownloadError) {
        let isOpen = StoreLock.isHeld(for: path)
        try QueueStore.read(path) { record in
            var record = record
            if !isOpen, record.state.isActive { record.state = .queued }
            try body(Receipt(record))
        }
    }

    /// The highest number that a download of this queue has ever had; 0 if there never was one.
    public var lastID: Receipt.ID { Receipt.ID(rawValue: queue.lastID) }

    // MARK: Waiting

    /// Waits for the end of a download.
    ///
    /// - Returns: The download's receipt, in state `completed`.
    /// - Throws: The `DownloadError` with which the download failed, whose `cause` is the error of a closure
    ///   that failed it since the queue was opened, or one with code `cancelled` if it was
    ///   cancelled, `shutDown` if the manager was shut down, `notFound` if it is not in the queue or was
    ///   removed, or `waitsForItself` in a closure of the configuration that a running download awaits;
    ///   `CancellationError` if the waiting task was cancelled.
    @discardableResult
    public func result(of id: Receipt.ID) async throws -> Receipt {
        if !(queue.records.state(of: id)?.isFinal ?? true) {
            try CallerClosure.checkMayWait(for: "download \(id)", of: self)
        }
        try await wait(on: id) { $0.records.state(of: id)?.isFinal ?? true }
        let receipt = try require(id)
        if var error = receipt.error, receipt.state == .failed {
            error.cause = causes[id]
            throw error
        }
        guard receipt.state == .completed else { throw DownloadError.cancelled() }
        return receipt
    }

    /// Waits until no download is running or will begin automatically: each is complete, paused, failed or
    /// cancelled.
    ///
    /// - Throws: `CancellationError`; `DownloadError`: `shutDown` if the manager is shut down,
    ///   `waitsForItself` in a closure of the configuration that a download awaits, or the reason if the
    ///   queue can no longer be read.
    public func waitUntilIdle() async throws {
        try checkIsOpen()
        try CallerClosure.checkMayWait(for: "all downloads", of: self)
        try await wait { $0.isIdle }
        try checkIsReadable()
    }

    // MARK: Progress

    /// Returns a stream of a download's receipts that ends when it is complete, failed, cancelled or removed,
    /// or the manager is shut down; the last element has that state. A slow reader gets the
    /// current receipt.
    ///
    /// In a closure of the configuration that a download awaits, the stream has only the current element,
    /// because the download cannot end before the closure.
    ///
    /// - Parameters:
    ///   - id: The download.
    ///   - interval: The time between two elements; less than 10 ms counts as 10 ms. Repeated elements are
    ///     omitted.
    public nonisolated func progress(
        of id: Receipt.ID, every interval: Duration = .milliseconds(500)
    ) -> AsyncStream<Receipt> {
        let isAwaited = CallerClosure.isAwaited(by: .run, of: self)
        return ticks(every: interval) { manager in
            let hasStopped = await manager.hasStopped
            let receipt = await manager.receipt(id)
            return (receipt, isLast: isAwaited || hasStopped || receipt?.state.isFinal ?? true)
        } orWhen: { manager in
            try await manager.wait(on: id) { $0.records.state(of: id)?.isFinal ?? true }
        }
    }

    /// Returns a stream of the whole queue's progress, until the manager is shut down. A slow
    /// reader gets the current progress.
    ///
    /// In a closure of the configuration that a download awaits, the stream has only the current element,
    /// because that download cannot end before the closure.
    ///
    /// - Parameter interval: The time between two elements; less than 10 ms counts as 10 ms. Repeated
    ///   elements are omitted.
    public nonisolated func progress(
        every interval: Duration = .milliseconds(500)
    ) -> AsyncStream<QueueProgress> {
        let isAwaited = CallerClosure.isAwaited(by: .run, of: self)
        return ticks(every: interval) { manager in
            let hasStopped = await manager.hasStopped
            return (await manager.progress, isLast: isAwaited || hasStopped)
        } orWhen: { manager in
            try await manager.wait { _ in false }
        }
    }

    /// Returns a stream of the receipts of all running downloads, in the order in which they began, until the
    /// manager is shut down. An empty element means that none is running. A slow reader gets the current
    /// receipts.
    ///
    /// In a closure of the configuration that a download awaits, the stream has only the current element.
    ///
    /// - Parameter interval: The time between two elements; less than 10 ms counts as 10 ms. Repeated
    ///   elements are omitted.
    public nonisolated func activeReceipts(
        every interval: Duration = .milliseconds(500)
    ) -> AsyncStream<[Receipt]> {
        let isAwaited = CallerClosure.isAwaited(by: .run, of: self)
        return ticks(every: interval) { manager in
            let hasStopped = await manager.hasStopped
            return (await manager.activeReceipts, isLast: isAwaited || hasStopped)
        } orWhen: { manager in
            try await manager.wait { _ in false }
        }
    }

    /// Returns a stream with an element at each interval and one at the end, without repeated elements.
    ///
    /// - Parameter end: Returns or throws when the last element is due.
    private nonisolated func ticks<Element: Sendable & Equatable>(
        every interval: Duration,
        _ next: @escaping @Sendable (DownloadManager) async -> (value: Element?, isLast: Bool),
        orWhen end: @escaping @Sendable (DownloadManager) async throws -> Void
    ) -> AsyncStream<Element> {
        .sampled(every: interval.atLeastShortest) {
            await next(self)
        } until: {
            try? await end(self)
        }
    }
}
