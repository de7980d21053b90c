internal import Logging
internal import SegmentedDL
internal import SegmentedDLSupport

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The actions that the queue decides on.
extension DownloadManager {
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
        // The caps may have been raised.
        grantTurns()
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
                if let receipt = receipt(id) { send(.added(receipt)) }
            case .held(let id):
                touched.insert(id)
                if let receipt = receipt(id) { send(.held(receipt)) }
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
            if let receipt = receipt(id) { send(.updated(receipt)) }
        }
        if isReordered { send(.reordered) }
        return touched
    }

    private func report(_ id: Receipt.ID, _ before: DownloadState, _ state: DownloadState) {
        guard var receipt = receipt(id) else { return }
        // Its state may already have changed.
        receipt.state = state
        configuration.downloads.logger.debug("download \(id): \(before.rawValue) -> \(state.rawValue)")
        send(.changed(receipt, from: before))
    }

    /// Sends the events of steps now, so that their receipts have the figures of this moment.
    ///
    /// - Returns: The other actions.
    func reported(_ actions: [QueueState.Action]) -> [QueueState.Action] {
        for case .changed(let id, let before, let state) in actions { report(id, before, state) }
        return actions.filter { !$0.reports }
    }

    private func send(_ event: QueueEvent) {
        eventStreams.send(event)
        delivery?.send(event, of: self)
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
        }
        ended([(id: id, run: run, outcome: outcome)])
        renewIdleFetcher()
    }

    /// Ends runs together.
    ///
    /// - Parameter actions: Earlier actions of these runs.
    func ended(
        _ runs: [(id: Receipt.ID, run: Int, outcome: QueueState.Outcome)],
        after actions: [QueueState.Action] = []
    ) {
        guard !runs.isEmpty || !actions.isEmpty else { return }
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
        if queue.isCurrent(id, run: run) {
            spaceClaims[id] = nil
            if !outcome.isInterruption || queue.isStopping(id) { choices[id] = nil }
        }
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
        choices[record.id] = nil
        if withFiles {
            erasures.append(Task { try await DiskThread.run { try record.removeFiles() } })
        }
        send(.removed(Receipt(record)))
    }

    /// Waits until the files of removed downloads are deleted.
    ///
    /// - Throws: `DownloadError` if files could not be deleted; the downloads were removed anyway.
    func finishErasures() async throws {
        let tasks = erasures
        erasures = []
        for task in tasks { try await task.value }
    }
}
