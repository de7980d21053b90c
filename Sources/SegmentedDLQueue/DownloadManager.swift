internal import Logging
package import SegmentedDL
import SegmentedDLSupport

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
    private let writer: StoreWriter
    // The queue reads records from disk to make decisions, which must not block the threads of other tasks.
    private let executor = QueueExecutor(label: "SegmentedDL.manager")
    /// The actor's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    let eventStreams = Multicast<QueueEvent>()
    var handles: [Receipt.ID: DownloadHandle] = [:]
    private var tasks: [Receipt.ID: Task<Void, Never>] = [:]
    /// The batches of small files, by the number of their first run.
    var batches: [Int: Task<Void, Never>] = [:]
    /// Fetches the next batches; `nil` if the settings do not allow any.
    var batchFetcher: BatchFetcher?
    var authorizations: [Receipt.ID: Authorization] = [:]
    /// The errors of closures that failed downloads, which are not stored.
    var causes: [Receipt.ID: any Error] = [:]
    /// The disk space that active runs are about to allocate.
    var spaceClaims: [Receipt.ID: Int64] = [:]
    /// File removals in progress.
    private var erasures: [Task<Void, any Error>] = []
    var waiters = ConditionWaiters()
    private let alarm = Alarm()
    /// Set while a download will begin at a known time, until when a manager without references must exist.
    private let ownReference = Lock<DownloadManager?>(nil)
    private var bookkeeper: Task<Void, Never>?
    private(set) var isShutDown = false
    /// True once a shutdown has ended all runs: no state changes any more.
    private(set) var hasStopped = false
    private var closing: Task<Void, any Error>?
    private var hasEnded = false
    /// The number of calls of `shutdown()` from closures that the manager awaits.
    private var ends: [AsyncEvent] = []
    /// The calls of ``ManagerConfiguration/onEvent``; `nil` if it is not set.
    private var delivery: Task<Void, Never>?

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
        queue = restored
        if let events { eventStreams.add(events) }
        if let onEvent = configuration.onEvent { delivery = deliver(to: onEvent) }
        if !configuration.isInMemory { OpenManagers.shared.add(self, at: configuration.store) }
        renewBatchFetcher()
        apply(actions)
        apply(queue.reschedule(now: Date()))
    }

    deinit {
        // It was not shut down, none of its tasks is running, and no download will begin by itself.
        guard !isShutDown else { return }
        eventStreams.finish()
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
                asksFirst: configuration.mayStart != nil || configuration.reservedSpace != nil, source: store,
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
        if !CallerClosure.isAwaited(by: .events, of: self) { await delivery?.value }
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

    /// Stores the current content of records, in one transaction.
    func save(_ ids: [Receipt.ID]) {
        var saved: Set<Receipt.ID> = []
        let records = ids.filter { saved.insert($0).inserted }.compactMap { queue.records[$0] }
        guard !records.isEmpty else { return }
        let change = writer.submit(records.map { QueueStore.Change.save($0) })
        for record in records { queue.markSubmitted(record.id, as: change) }
    }

    /// Executes actions and their consequences.
    func apply(_ actions: [QueueState.Action]) {
        guard !isShutDown else { return }
        let touched = take(actions)
        queue.trim(stored: writer.stored)
        setAlarm()
        if queue.activeRuns > 0, bookkeeper == nil { bookkeeper = Task { await self.keepSavingProgress() } }
        waiters.wake(changed: touched, queue)
    }

    /// - Returns: The downloads whose state has changed.
    @discardableResult
    private func take(_ actions: [QueueState.Action]) -> Set<Receipt.ID> {
        var touched: Set<Receipt.ID> = []
        var unsaved: [Receipt.ID] = []
        var updated: [Receipt.ID] = []
        var withdrawn: Set<Int> = []
        var isReordered = false
        for action in actions {
            switch action {
            case .save(let id):
                unsaved.append(id)
            case .added(let id):
                if let receipt = receipt(id) { eventStreams.send(.added(receipt)) }
            case .held(let id):
                touched.insert(id)
                if let receipt = receipt(id) { eventStreams.send(.held(receipt)) }
            case .changed(let id, let before, let state):
                touched.insert(id)
                report(id, before, state)
            case .updated(let id):
                updated.append(id)
            case .reordered:
                isReordered = true
            case .begin(let id, let run):
                begin(id, run: run)
            case .beginBatch(let ids, let first):
                beginBatch(ids, firstRun: first)
            case .stop(let id):
                tasks[id]?.cancel()
                if queue.isBatched(id), let run = queue.run(of: id) { withdrawn.insert(run.number) }
            case .erase(let record, let withFiles):
                touched.insert(record.id)
                erase(record, withFiles: withFiles)
            }
        }
        // Together, so that those that begin again do so in one batch.
        if !withdrawn.isEmpty { batchFetcher?.path.withdraw(withdrawn) }
        save(unsaved)
        var reported = touched
        for id in updated where reported.insert(id).inserted {
            if let receipt = receipt(id) { eventStreams.send(.updated(receipt)) }
        }
        if isReordered { eventStreams.send(.reordered) }
        return touched
    }

    private func report(_ id: Receipt.ID, _ before: DownloadState, _ state: DownloadState) {
        guard var receipt = receipt(id) else { return }
        // Its state may already have changed.
        receipt.state = state
        configuration.downloads.logger.debug("download \(id): \(before.rawValue) -> \(state.rawValue)")
        eventStreams.send(.changed(receipt, from: before))
    }

    private func begin(_ id: Receipt.ID, run: Int) {
        tasks[id] = CallerClosure.task { await self.runAttempt(id, run: run) }
    }

    /// Ends a run. Called as the last step of its task.
    func ended(_ id: Receipt.ID, run: Int, _ outcome: QueueState.Outcome) {
        if queue.isCurrent(id, run: run) {
            if let handle = handles.removeValue(forKey: id) {
                saveProgress(of: id, handle)
                saveCost(of: id, handle)
            }
            tasks[id] = nil
            spaceClaims[id] = nil
        }
        ended([(id: id, run: run, outcome: outcome)])
    }

    /// Ends runs together.
    ///
    /// - Parameter actions: Earlier actions of these runs.
    func ended(
        _ runs: [(id: Receipt.ID, run: Int, outcome: QueueState.Outcome)],
        after actions: [QueueState.Action] = []
    ) {
        guard !runs.isEmpty else { return }
        updateWindow()
        var actions = actions
        for run in runs { actions += end(run.id, run: run.run, run.outcome) }
        guard isShutDown else {
            actions += queue.reschedule(now: Date())
            apply(actions)
            // A run that performed only checks ends without a change of its state.
            return waiters.wake(changed: Set(runs.map(\.id)), queue, andOfAny: false)
        }
        waiters.wake(changed: take(actions), queue, andOfAny: false)
    }

    private func end(_ id: Receipt.ID, run: Int, _ outcome: QueueState.Outcome) -> [QueueState.Action] {
        // Operations requested before the shutdown are performed, and complete files become complete. All
        // other downloads are interrupted, whatever their outcome: they are stored as they were, and the next
        // manager puts them into the queue, which the events already report.
        let isComplete = if case .completed = outcome { true } else { false }
        let isAskedFor = isComplete || queue.isStopping(id) && queue.intent(of: id) != .resume
        let isInterrupted = isShutDown && !isAskedFor
        let actions = queue.ended(
            id, run: run, isInterrupted ? .stopped : outcome, now: Date(), jitter: .random(in: 0...1),
            reschedules: false)
        return isShutDown ? actions.filter { isInterrupted ? $0.reports : !$0.begins } : actions
    }

    private func erase(_ record: QueueRecord, withFiles: Bool) {
        writer.submit(.erase(record.id))
        authorizations[record.id] = nil
        causes[record.id] = nil
        if withFiles {
            erasures.append(Task { try await DiskThread.run { try record.removeFiles() } })
        }
        eventStreams.send(.removed(Receipt(record)))
    }

    /// Waits until the files of removed downloads are deleted.
    ///
    /// - Throws: `DownloadError` if files could not be deleted; the downloads were removed anyway.
    func finishErasures() async throws {
        let tasks = erasures
        erasures = []
        for task in tasks { try await task.value }
    }

    // MARK: Time

    private func setAlarm() {
        let due = queue.isRunning ? queue.nextDue : nil
        ownReference.withLock { $0 = due == nil ? nil : self }
        alarm.set(
            to: due?.timeIntervalSinceReferenceDate, now: Date().timeIntervalSinceReferenceDate, for: self
        ) { await $0.reschedule() }
    }

    /// Once a second, stores the progress of downloads, for other processes that read the database, and
    /// replaces stalled downloads.
    private func keepSavingProgress() async {
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
