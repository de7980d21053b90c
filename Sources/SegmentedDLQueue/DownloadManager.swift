internal import Logging
package import SegmentedDL
import SegmentedDLSupport
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A queue of downloads that outlives its process.
///
/// Each download has a ``Receipt``, stored in a database before the call that changes it returns. After a
/// kill or a reboot a manager with the same database resumes where the last one stopped.
///
///     let manager = try await DownloadManager(ManagerConfiguration(store: "queue.sqlite"))
///     let receipt = try await manager.add(
///         DownloadRequest("https://example.com/disk.iso", to: .directory(".")))
///     print(try await manager.result(of: receipt.id).path ?? "")
///     try await manager.shutdown()
///
/// One process may have several managers, each with its own database.
public actor DownloadManager {
    let configuration: ManagerConfiguration
    /// Runs the transfers. Other downloads that a program starts with it share the queue's caps.
    package nonisolated let downloader: Downloader
    let saysUnknown: @Sendable (_ name: String) -> Bool
    var queue: QueueState
    /// `nil` for a queue in memory.
    private let store: QueueStore?
    let writer: StoreWriter
    // The queue reads records from disk to make decisions, which must not block the threads of other tasks.
    private let executor = QueueExecutor(label: "SegmentedDL.manager")
    /// The actor's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    let eventStreams = Multicast<QueueEvent>()
    var handles: [Receipt.ID: DownloadHandle] = [:]
    var tasks: [Receipt.ID: Task<Void, Never>] = [:]
    /// The batches of small files, by the number of their first run.
    var batches: [Int: Task<Void, Never>] = [:]
    /// Fetches the next batches; `nil` if the settings do not allow any.
    var batchFetcher: BatchFetcher?
    /// The small files that closures have let join a batch, until the next ones are added to the fast path.
    var joined: [(id: Receipt.ID, entry: FastPath.Entry)] = []
    /// True while files that have joined are being added to the fast path.
    var addsJoined = false
    /// The paths chosen for files of batches, with the requests, until their downloads end.
    var choices: [Receipt.ID: (request: DownloadRequest, path: FilePath?)] = [:]
    var closureTurns = ClosureTurns()
    var authorizations: [Receipt.ID: Authorization] = [:]
    /// The errors of closures that failed downloads, which are not stored.
    var causes: [Receipt.ID: any Error] = [:]
    /// The disk space that active runs are about to allocate.
    var spaceClaims: [Receipt.ID: Int64] = [:]
    /// File removals in progress.
    var erasures: [Task<Void, any Error>] = []
    var waiters = ConditionWaiters()
    private let alarm = Alarm()
    /// Set while a download will begin at a known time, until when a manager without references must exist.
    private let ownReference = Lock<DownloadManager?>(nil)
    var bookkeeper: Task<Void, Never>?
    private(set) var isShutDown = false
    /// True once a shutdown has ended all runs: no state changes any more.
    private(set) var hasStopped = false
    private var closing: Task<Void, any Error>?
    private var hasEnded = false
    /// The number of calls of `shutdown()` from closures that the manager awaits.
    private var ends: [AsyncEvent] = []
    /// The calls of ``ManagerConfiguration/onEvent``; `nil` if it is not set.
    let delivery: EventDelivery?

    /// Opens the queue, and begins the waiting downloads.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - events: Receives all events from the first one on, including those of downloads that an earlier
    ///     process left, and ends when the manager is shut down. ``ManagerConfiguration/onEvent`` does the
    ///     same with a closure; ``events(limit:)`` begins when it is called.
    /// - Throws: `DownloadError`: `locked` if this or another process already has the queue open
    ///   (``openManager(storeAt:)`` returns that of this process); `badStore` if its database is damaged or
    ///   of a newer version; `invalidSetting`; or a disk error. To run downloads, the manager first waits up
    ///   to half a minute for another process that only changes the queue.
    public init(
        _ configuration: ManagerConfiguration, events: AsyncStream<QueueEvent>.Continuation? = nil
    ) async throws {
        try configuration.validate()
        var configuration = configuration
        configuration.downloads.incompleteDirectory =
            try configuration.downloads.incompleteDirectory?.storable()
        try await self.init(
            configuration, downloader: Downloader(configuration.downloads), events: events)
    }

    /// Opens the queue with a custom downloader.
    ///
    /// - Parameter saysUnknown: Returns true for a host name that does not exist. May block.
    package init(
        _ configuration: ManagerConfiguration, downloader: Downloader,
        events: AsyncStream<QueueEvent>.Continuation? = nil,
        saysUnknown: @escaping @Sendable (_ name: String) -> Bool = NameLookup.saysUnknown
    ) async throws {
        try configuration.validate()
        self.configuration = configuration
        self.saysUnknown = saysUnknown
        self.downloader = downloader
        let (store, restored, actions) = try await Self.restored(configuration)
        await configuration.opened?()
        self.store = store
        writer = StoreWriter(store)
        delivery = configuration.onEvent.map(EventDelivery.init)
        queue = restored
        if let events { eventStreams.add(events) }
        if !configuration.isInMemory { OpenManagers.shared.add(self, at: configuration.store) }
        renewBatchFetcher()
        apply(actions)
        apply(queue.reschedule(now: Date()))
    }

    deinit {
        // It was not shut down, none of its tasks is running, and no download will begin by itself.
        guard !isShutDown else { return }
        eventStreams.finish()
        delivery?.finish()
        configuration.downloads.logger.notice(
            "The manager of the queue '\(configuration.store)' was released without shutdown(); its downloads have ended."
        )
    }

    /// Reads the queue from its store. Blocks.
    static func restore(
        _ configuration: ManagerConfiguration
    ) throws -> (QueueStore?, QueueState, [QueueState.Action]) {
        var store: QueueStore?
        if !configuration.isInMemory {
            do {
                try DestinationChoice.makeDirectory(configuration.store.directory)
            } catch let error as StorageError {
                throw error.asDownloadError
            }
            store = try QueueStore(
                path: configuration.store, durability: configuration.downloads.durability,
                roots: configuration.roots, isBrief: !configuration.runsDownloads)
        }
        do {
            var queue = QueueState(
                limits: configuration.downloads.limits, retry: configuration.retry,
                lastID: try store?.lastID() ?? 0, isRunning: configuration.runsDownloads,
                asksFirst: configuration.asksFirst, asksOfEach: configuration.asksOfEach, source: store,
                heldRecords: configuration.receiptsInMemory)
            var actions: [QueueState.Action] = []
            try store?.forEach { record in
                actions += queue.restore(
                    record.withBytesOnDisk(), from: record, policy: configuration.onRestore)
            }
            return (store, queue, actions)
        } catch {
            store?.close()
            throw error
        }
    }

    /// Stops the running downloads, each with a checkpoint, stores everything, and closes the database. The
    /// next manager resumes from there. Streams end. Waiting calls, and later changes, throw `DownloadError`
    /// with code `shutDown`; a second call waits for the same shutdown. The last events are those of the
    /// downloads that were running, which become `queued`. All events have been passed to
    /// ``ManagerConfiguration/onEvent`` when this returns: it waits for that closure without a limit.
    ///
    /// A closure of the configuration can also call it: the manager waits for the closure, so the call
    /// returns immediately, and the closure's download ends before the shutdown does. A file whose
    /// ``ManagerConfiguration/afterCompletion`` shuts the manager down is complete.
    ///
    /// - Throws: `DownloadError` if the last changes could not be stored, or the queue could no longer be
    ///   read.
    public func shutdown() async throws {
        let closing = closing ?? CallerClosure.outside { Task { try await close() } }
        self.closing = closing
        if CallerClosure.isAwaited(by: .run, of: self) { await waitForEnd() }
        guard !Task.isCancelled || !CallerClosure.isAwaited(by: .run, of: self) else { return }
        try await closing.value
        if !CallerClosure.isAwaited(by: .events, of: self) { await delivery?.waitForEnd() }
    }

    /// Waits in a closure of the caller. The shutdown cancels the closure's task, unless this runs in another
    /// task, which the closure does not await.
    private func waitForEnd() async {
        guard !hasEnded else { return }
        let end = AsyncEvent()
        ends.append(end)
        await end.wait()
    }

    private func close() async throws {
        defer {
            hasEnded = true
            for end in ends { end.finish() }
        }
        isShutDown = true
        OpenManagers.shared.remove(self)
        queue.isRunning = false
        bookkeeper?.cancel()
        alarm.set(to: nil, now: 0, for: self) { _ in }
        ownReference.withLock { $0 = nil }
        // They keep their state, from which the next manager resumes.
        for task in tasks.values { task.cancel() }
        batchFetcher?.run?.cancel()
        for task in Array(tasks.values) + Array(batches.values) { await task.value }
        await batchFetcher?.run?.value
        hasStopped = true
        for erasure in erasures { _ = await erasure.result }
        saveProgress()
        let stored = await Swift.Result { try await writer.flush() }
        await writer.close()
        await downloader.shutdown()
        eventStreams.finish()
        delivery?.finish()
        waiters.cancelAll()
        try stored.get()
        try checkIsReadable()
    }

    // MARK: Decisions of the queue

    /// Begins the downloads that may begin now.
    func reschedule() {
        apply(queue.reschedule(now: Date()))
    }

    func checkIsOpen() throws {
        guard !isShutDown else {
            throw ConditionWaiters.shutDownError
        }
        try checkIsReadable()
    }

    /// - Throws: `DownloadError` if records could not be read: the queue's decisions are then no longer
    ///   reliable.
    func checkIsReadable() throws {
        if let failure = store?.failure { throw failure }
    }

    /// Returns when all changes are stored.
    func flush() async throws {
        try await writer.flush()
    }

    /// Drops the records that a caller's stored change needed in memory.
    ///
    /// - Throws: `DownloadError` if one of them could not be read.
    func finishChange() throws {
        queue.trim(stored: writer.stored, isThorough: true)
        try checkIsReadable()
    }

    // MARK: Time

    func setAlarm() {
        let due = queue.isRunning ? queue.nextDue : nil
        ownReference.withLock { $0 = due == nil ? nil : self }
        alarm.set(
            to: due?.timeIntervalSinceReferenceDate, now: Date().timeIntervalSinceReferenceDate, for: self
        ) { await $0.reschedule() }
    }

    /// Once a second, stores the progress of downloads, for other processes that read the database, and
    /// replaces stalled downloads.
    func keepSavingProgress() async {
        while !Task.isCancelled, queue.activeRuns > 0 {
            try? await Task.sleep(for: .seconds(1))
            saveProgress()
            replaceStalled()
        }
        bookkeeper = nil
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
