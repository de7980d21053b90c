internal import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The downloads of a queue, and the decision which of them run.
///
/// A plain value without a clock, tasks or network access. Each mutating function returns the actions to
/// execute. Records that are not in memory are read from the store on demand; see `RecordTable`.
struct QueueState: Sendable {
    typealias ID = Receipt.ID

    /// One run of a download.
    struct Run: Sendable {
        let number: Int
        /// The time up to which the record includes the run's duration.
        var counted: Date
        /// The operation requested during the run; it takes effect when the run has stopped.
        var intent: Intent?
        /// The path reserved for a small file that is fetched in a batch; `nil` for all other runs.
        var batchPath: FilePath?
        /// True while closures decide about a small file that has not joined its batch. Meanwhile it takes a
        /// place, which also limits the number of these closures.
        var isAsked = false
    }

    enum Intent: Equatable, Sendable {
        case resume, pause, cancel, restart
        case remove(withFiles: Bool)
    }

    private(set) var limits: Limits
    /// The number of downloads that may run now, if the caps do not fix it.
    var automaticFiles = 4
    /// The number of further ones that may run in place of stalled ones.
    var replacements = 0
    let retry: RetryPolicy
    private(set) var records: RecordTable
    private var runs: [ID: Run] = [:]
    /// The downloads in batches, by the paths reserved for them.
    private(set) var batched: [FilePath: ID] = [:]
    /// Downloads that had to leave a batch, and begin alone, even if they must wait before that.
    var loners: Set<ID> = []
    /// Returns true if the downloader accepts a download in a batch; `nil` if it accepts none.
    var acceptsInBatch: (@Sendable (QueueRecord) -> Bool)?
    var waiting = WaitingList()
    private(set) var retrying: [ID: Date] = [:]
    /// Queued downloads that wait for something other than a free slot.
    var holds: [ID: Receipt.Hold] = [:]
    var nextHold: Date?
    /// Downloads whose directory is being moved, and which do not run meanwhile: the number of moves.
    var moving: [ID: Int] = [:]
    /// The time at which the next retry is due.
    private(set) var nextRetry: Date?
    /// The time at which a download can next begin automatically.
    var nextDue: Date? { [nextRetry, nextHold].compactMap(\.self).min() }
    /// True if runs perform checks before they begin.
    let asksFirst: Bool
    /// True if closures decide about each file before it is requested, also about one of a batch.
    let asksOfEach: Bool
    /// The number of files that they are deciding about.
    private var asked = 0
    private var identifiers = HashIndex<QueueRecord.Identifier>()
    /// Downloads by their final paths.
    private var owners = HashIndex<FilePath>()
    var ranks = RankRange()
    private var lastRun = 0
    private(set) var lastID: Int64
    /// True if downloads may begin.
    var isRunning: Bool

    /// - Parameters:
    ///   - source: The store from which records are read once their changes are stored; if `nil`, all remain
    ///     in memory.
    ///   - heldRecords: The maximum number of records in memory before stored ones are dropped.
    init(
        limits: Limits, retry: RetryPolicy = RetryPolicy(), lastID: Int64 = 0, isRunning: Bool = true,
        asksFirst: Bool = false, asksOfEach: Bool = false, source: (any RecordSource)? = nil,
        heldRecords: Int = 256
    ) {
        self.asksFirst = asksFirst
        self.asksOfEach = asksFirst || asksOfEach
        records = RecordTable(source, allowance: heldRecords)
        self.limits = limits
        self.retry = retry
        self.lastID = lastID
        self.isRunning = isRunning
    }

    // MARK: Observing

    var activeRuns: Int { runs.count }
    /// The running downloads, in the order in which they began, except those that are queued in batches.
    var running: [ID] {
        runs.filter { $0.value.batchPath == nil || records.state(of: $0.key) != .queued }
            .sorted { $0.value.number < $1.value.number }.map(\.key)
    }
    private var alone: [ID: Run] { batched.isEmpty ? runs : runs.filter { $0.value.batchPath == nil } }
    func isRunning(_ id: ID) -> Bool { runs[id] != nil }
    func run(of id: ID) -> Run? { runs[id] }
    func isCurrent(_ id: ID, run: Int) -> Bool { runs[id]?.number == run }
    /// True if its run was asked to stop.
    func isStopping(_ id: ID) -> Bool { runs[id]?.intent != nil }

    /// Returns the download with an identifier.
    func record(_ identifier: QueueRecord.Identifier) -> QueueRecord? {
        guard let id = identifiers.candidate(for: identifier), let found = records[id],
            found.identifier == identifier
        else { return nil }
        return found
    }

    /// Returns the download whose current or intended file has this path.
    func owner(of path: FilePath) -> QueueRecord? {
        if let id = batched[path] { return records[id] }
        guard let id = owners.candidate(for: path), let found = records[id],
            found.path == path || found.destination.file == path
        else { return nil }
        return found
    }

    // MARK: Adding

    /// Returns the number for the next download.
    mutating func makeID() -> ID {
        lastID += 1
        return ID(rawValue: lastID)
    }

    /// Records the destination file of a download.
    mutating func own(_ path: FilePath, _ id: ID) {
        owners.insert(id, for: path)
    }

    /// Restores a stored download; one that was running is resumed or paused.
    ///
    /// - Parameters:
    ///   - record: The download with figures updated from its files on disk.
    ///   - stored: The download as stored.
    mutating func restore(
        _ record: QueueRecord, from stored: QueueRecord, policy: ManagerConfiguration.RestorePolicy
    ) -> [Action] {
        var record = record
        lastID = max(lastID, record.id.rawValue)
        ranks.include(record.rank)
        switch policy {
        case .resume where stored.state.isActive:
            record.state = .queued
            record.hasBegun = true
        // A command that only changes the queue may have requeued it in the meantime.
        case .stayPaused where stored.state.isActive || stored.state == .queued && stored.hasBegun:
            record.state = .paused
            record.hasBegun = false
        case .resume, .stayPaused: break
        }
        insert(record, isStored: record == stored)
        if record.state == .queued { waiting.insert(record) }
        return record == stored ? [] : [.save(record.id)]
    }

    mutating func insert(_ record: QueueRecord, isStored: Bool) {
        records.insert(record, isStored: isStored)
        identifiers.insert(record.id, for: record.identifier)
        if let path = record.path ?? record.destination.file { owners.insert(record.id, for: path) }
        if record.state == .retrying { addRetry(record) }
    }

    private mutating func addRetry(_ record: QueueRecord) {
        let due = record.retriesAt ?? .distantPast
        retrying[record.id] = due
        nextRetry = min(nextRetry ?? due, due)
    }

    private mutating func removeRetry(_ record: QueueRecord) {
        guard let due = retrying.removeValue(forKey: record.id), due == nextRetry else { return }
        nextRetry = retrying.values.min()
    }

    mutating func erase(_ id: ID, withFiles: Bool) -> [Action] {
        guard let record = records[id] else { return [] }
        records.remove(record)
        identifiers.remove(id, for: record.identifier)
        for path in [record.path, record.destination.file].compactMap({ $0 }) { owners.remove(id, for: path) }
        if record.state == .queued, isListed(id) { waiting.remove(record) }
        removeHold(id)
        moving[id] = nil
        if record.state == .retrying { removeRetry(record) }
        removeRun(id)
        loners.remove(id)
        return [.erase(record, withFiles: withFiles)]
    }

    // MARK: Changing records

    /// Reads the records of many downloads at once, before each of them is changed.
    mutating func hold(_ ids: [ID]) {
        records.hold(ids)
    }

    /// Reads the records of many identifiers at once, if they are in the queue.
    mutating func hold(_ identifiers: [QueueRecord.Identifier]) {
        records.hold(identifiers.compactMap { self.identifiers.candidate(for: $0) })
    }

    /// Marks the current record as being written to the store.
    mutating func markSubmitted(_ id: ID, as change: Int) {
        records.markSubmitted(id, as: change)
    }

    /// Drops stored records from memory, except those of running downloads, which must not depend on the
    /// disk.
    mutating func trim(stored: Int, isThorough: Bool = false) {
        let runs = runs
        records.trim(stored: stored, isThorough: isThorough) { runs[$0] != nil }
    }

    /// Changes a record, and updates the indexes by path and state.
    ///
    /// - Returns: The resulting actions; empty if nothing changed.
    mutating func edit(_ id: ID, _ body: (inout QueueRecord) -> Void) -> [Action] {
        guard let before = records[id] else { return [] }
        var record = before
        body(&record)
        guard record != before else { return [] }
        if record.state != .retrying { record.retriesAt = nil }
        if before.state == .queued, isListed(id) { waiting.remove(before) }
        if record.state != .queued { removeHold(id) }
        if record.state == .queued, isListed(id) { waiting.insert(record) }
        if before.state == .retrying { removeRetry(before) }
        if record.state == .retrying { addRetry(record) }
        if record.identifier != before.identifier {
            identifiers.remove(id, for: before.identifier)
            identifiers.insert(id, for: record.identifier)
        }
        records.replace(before, with: record)
        let news: Action? =
            record.state != before.state
            ? Action.changed(id, from: before.state, to: record.state)
            : update(from: before, to: record)
        return [.save(id)] + (news.map { [$0] } ?? [])
    }

    /// Returns the action for a change of a record whose state is the same; `nil` if observers need not be
    /// notified: streams of progress report the figures of a running download.
    private func update(from before: QueueRecord, to record: QueueRecord) -> Action? {
        let isNews =
            isRunning(record.id)
            ? record.request != before.request || record.identifier != before.identifier
                || record.onComplete != before.onComplete
            : Receipt(record) != Receipt(before)
        return isNews ? .updated(record.id) : nil
    }

    mutating func setRun(_ id: ID, intent: Intent) -> [Action] {
        // It is stopped only once; the intent may change until then.
        let isFirst = runs[id]?.intent == nil
        runs[id]?.intent = intent
        return isFirst ? [.stop(id)] : []
    }

    func intent(of id: ID) -> Intent? { runs[id]?.intent }

    /// Adds the time of a run to its record.
    mutating func countTime(_ id: ID, now: Date) -> [Action] {
        guard let run = runs[id] else { return [] }
        runs[id]?.counted = now
        // The clock may have been turned back.
        let seconds = max(0, now.timeIntervalSince(run.counted))
        return edit(id) { $0.seconds += seconds }
    }

    mutating func removeRun(_ id: ID) {
        takeFromBatch(id)
        runs[id] = nil
    }

    /// Starts a run.
    ///
    /// - Parameters:
    ///   - batchPath: The expected path of the file if it is fetched in a batch.
    ///   - isAsked: True if closures decide about the file first.
    private mutating func addRun(
        _ id: ID, now: Date, batchPath: FilePath? = nil, isAsked: Bool = false
    ) {
        lastRun += 1
        runs[id] = Run(number: lastRun, counted: now, batchPath: batchPath, isAsked: isAsked)
        if isAsked { asked += 1 }
        if let batchPath { batched[batchPath] = id }
    }

    /// Reserves another path for a small file in a batch.
    ///
    /// - Returns: False if another download has the path.
    mutating func reserve(_ path: FilePath, for id: ID, run: Int) -> Bool {
        guard isCurrent(id, run: run), let old = runs[id]?.batchPath else { return false }
        if let other = owner(of: path), other.id != id { return false }
        runs[id]?.batchPath = path
        batched[old] = nil
        batched[path] = id
        return true
    }

    /// Makes a small file join its batch, because the closures allow it. Its place is free again.
    mutating func joinBatch(_ id: ID) {
        guard runs[id]?.isAsked ?? false else { return }
        runs[id]?.isAsked = false
        asked -= 1
    }

    /// Makes the run of a small file one outside of batches.
    mutating func takeFromBatch(_ id: ID) {
        joinBatch(id)
        guard let path = runs[id]?.batchPath else { return }
        runs[id]?.batchPath = nil
        batched[path] = nil
    }

    /// Starts counting the time of a run.
    mutating func countFrom(_ now: Date, _ id: ID) { runs[id]?.counted = now }

    /// Claims a final path for a download.
    ///
    /// - Returns: `nil` if another download has bytes at that path.
    mutating func claim(_ path: FilePath, for id: ID) -> [Action]? {
        if let other = owner(of: path), other.id != id, other.state != .completed { return nil }
        guard let before = records[id] else { return nil }
        if let old = before.path, old != path { owners.remove(id, for: old) }
        owners.insert(id, for: path)
        return edit(id) { record in
            if record.path != path { record.part = nil }
            record.path = path
        }
    }

    // MARK: Deciding

    mutating func setLimits(_ limits: Limits) {
        self.limits = limits
    }

    /// Begins eligible downloads, and returns those beyond the caps to the queue.
    mutating func reschedule(now: Date) -> [Action] {
        var actions: [Action] = []
        if isRunning, let due = nextRetry, due <= now {
            for (id, due) in retrying where due <= now { actions += edit(id) { $0.state = .queued } }
        }
        if isRunning, let due = nextHold, due <= now {
            actions += release(holds.filter { $0.value.until ?? .distantFuture <= now }.map(\.key))
        }
        // The next call to the manager throws the error.
        if records.isIncomplete { isRunning = false }
        guard isRunning else { return actions }
        // Without a free place, the connections of a first batch would only wait for it.
        while hasFreePlace || !batched.isEmpty, let id = waiting.first {
            // While no batch may begin, each end of a run inspects it again.
            if acceptsInBatch != nil, !records.holds(id) { hold(waiting.next(Self.mostInBatch)) }
            guard let record = records[id] else {
                isRunning = false
                break
            }
            let turn = turn(of: record)
            if case .inBatch(let path) = turn {
                guard asksOfEach else {
                    actions += beginBatch(now: now)
                    continue
                }
                guard hasFreePlace else { break }
                waiting.remove(record)
                addRun(id, now: now, batchPath: path, isAsked: true)
                actions.append(.begin(id, run: lastRun))
                continue
            }
            guard turn == .alone, hasFreePlace, runs.count < places || precedesBatch(record) else { break }
            if asksFirst { waiting.remove(record) } else { actions += begin(id, now: now) }
            addRun(id, now: now)
            actions.append(.begin(id, run: lastRun))
        }
        return actions + putBackExcess()
    }

    /// The number of downloads that may run at a time, apart from those in batches.
    var places: Int { limits.activeFiles.fixed ?? automaticFiles + replacements }
    private var hasFreePlace: Bool { runs.count - batched.count + asked < places }

    /// Begins the first waiting download, and those behind it up to one that a batch does not accept.
    private mutating func beginBatch(now: Date) -> [Action] {
        let first = lastRun + 1
        hold(waiting.next(Self.mostInBatch))
        var ids: [ID] = []
        while ids.count < Self.mostInBatch, let id = waiting.first, let record = records[id],
            let path = batchPath(of: record)
        {
            waiting.remove(record)
            addRun(id, now: now, batchPath: path)
            ids.append(id)
        }
        return ids.isEmpty ? [] : [.beginBatch(ids, firstRun: first)]
    }

    /// Makes a download begin alone after it had to leave its batch.
    mutating func leaveBatch(_ id: ID) {
        if runs[id]?.batchPath != nil { loners.insert(id) }
    }

    func mustBeAlone(_ id: ID) -> Bool { loners.contains(id) }

    /// Returns the most recent downloads beyond the cap to the queue.
    mutating func putBackExcess() -> [Action] {
        // Otherwise the number depends on the lengths of the files, and decreases as they end.
        guard let most = limits.activeFiles.fixed else { return [] }
        let excess = runs.count - batched.count - most
        guard excess > 0 else { return [] }
        let alone = alone
        let stopping = alone.values.count { $0.intent != nil }
        guard excess > stopping else { return [] }
        // The most recently started download is the first to return.
        let candidates = alone.filter { $0.value.intent == nil }.sorted { $0.value.number > $1.value.number }
        return candidates.prefix(excess - stopping).flatMap { setRun($0.key, intent: .resume) }
    }
}
