internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The downloads of a queue, and which of them run.
///
/// A plain value without clock, tasks, disk or network. Each mutating function returns what has to be done.
struct QueueState: Sendable {
    typealias ID = Receipt.ID

    enum Action: Equatable, Sendable {
        /// The download is to be begun.
        case begin(ID, run: Int)
        /// Its run is to end, with a checkpoint; `ended` is called when it has.
        case stop(ID)
        /// Its record changed and has to be stored.
        case save(ID)
        /// It is gone: from the store, and if so wanted from the disk.
        indirect case erase(QueueRecord, withFiles: Bool)
        case added(ID)
        case changed(ID, from: DownloadState, to: DownloadState)
    }

    /// One attempt at a download.
    private struct Run: Sendable {
        let number: Int
        /// Up to when its time is in the record.
        var counted: Date
        /// What was asked for while it runs; it is carried out when it has stopped.
        var intent: Intent?
    }

    enum Intent: Equatable, Sendable {
        case goOn, pause, cancel, restart
        case remove(withFiles: Bool)
    }

    /// Room between two neighbours in the order, for others to be moved there.
    private static let gap: Int64 = 1 << 20

    private(set) var limits: Limits
    let retry: RetryPolicy
    private(set) var records = RecordTable()
    private var runs: [ID: Run] = [:]
    private var waiting = WaitingList()
    private var retrying: Set<ID> = []
    /// When the next retry is due.
    private(set) var nextRetry: Date?
    private var identifiers: [QueueRecord.Identifier: ID] = [:]
    private var owners: [FilePath: ID] = [:]
    private var lowestRank: Int64 = 0
    private var highestRank: Int64 = 0
    private var lastDestination = DownloadRequest.Destination.directory(".")
    private var lastRun = 0
    private(set) var lastID: Int64
    /// Whether downloads are begun.
    var isRunning: Bool

    init(limits: Limits, retry: RetryPolicy = RetryPolicy(), lastID: Int64 = 0, isRunning: Bool = true) {
        self.limits = limits
        self.retry = retry
        self.lastID = lastID
        self.isRunning = isRunning
    }

    // MARK: Observing

    var activeRuns: Int { runs.count }
    var running: [ID] { runs.sorted { $0.value.number < $1.value.number }.map(\.key) }
    func isRunning(_ id: ID) -> Bool { runs[id] != nil }
    func isCurrent(_ id: ID, run: Int) -> Bool { runs[id]?.number == run }
    /// Whether its run was asked to stop.
    func isStopping(_ id: ID) -> Bool { runs[id]?.intent != nil }

    /// Whether nothing runs, and nothing will by itself.
    var isIdle: Bool { runs.isEmpty && (!isRunning || waiting.isEmpty && retrying.isEmpty) }

    /// All records, in the order of the queue.
    var ordered: [QueueRecord] { records.values.sorted { $0.rank < $1.rank } }

    /// - Throws: `DownloadError` with code `notFound` if one download is meant and there is none.
    func ids(_ selection: Selection) throws(DownloadError) -> [ID] {
        switch selection {
        case .id(let id):
            guard records[id] != nil else { throw Self.notFound("number \(id)") }
            return [id]
        case .ids(let ids):
            for id in ids where records[id] == nil { throw Self.notFound("number \(id)") }
            return ids
        case .key(let key):
            guard let id = identifiers[.key(key)] else { throw Self.notFound("key '\(key)'") }
            return [id]
        case .url(let text):
            let url = try Source(text).url
            let found = ordered.filter { $0.source.url == url }.map(\.id)
            guard !found.isEmpty else { throw Self.notFound("URL '\(try Source(text))'") }
            return found
        case .position(let position):
            guard position >= 0, position < records.count else { throw Self.notFound("position \(position)") }
            return [ordered[position].id]
        case .state(let state):
            return ordered.filter { $0.state == state }.map(\.id)
        case .all:
            return ordered.map(\.id)
        }
    }

    private static func notFound(_ what: String) -> DownloadError {
        DownloadError(.notFound, "The queue has no download of \(what); list it to see what it has.")
    }

    // MARK: Adding

    /// The number for the next download.
    mutating func makeID() -> ID {
        lastID += 1
        return ID(rawValue: lastID)
    }

    /// The download that an entry would be a second time.
    ///
    /// - Throws: `DownloadError` with code `duplicate` if it has another destination, or another download goes
    ///   to the same file.
    func existing(_ record: QueueRecord) throws(DownloadError) -> QueueRecord? {
        if let id = identifiers[record.identifier], let found = records[id] {
            guard found.destination == record.destination, found.source == record.source else {
                throw DownloadError(
                    .duplicate,
                    "\(record.source) is in the queue already (number \(id)), with another \(found.source == record.source ? "destination" : "URL"); remove that one first, or give this one a key of its own.",
                    url: record.source.description)
            }
            return found
        }
        if case .file(let path) = record.destination, let id = owners[path], id != record.id {
            throw DownloadError(
                .duplicate, "Download \(id) of the queue goes to '\(path)' already; choose another name.",
                url: record.source.description)
        }
        return nil
    }

    /// Adds a download behind all others, or, in a LIFO queue, before them. It does not run before `admit`.
    mutating func add(_ record: QueueRecord) -> [Action] {
        var record = record
        record.rank = limits.queueOrder == .fifo ? rankBehindAll() : rankBeforeAll()
        insert(record)
        return [.added(record.id), .save(record.id)]
    }

    /// Lets added downloads run, now that they are stored.
    mutating func admit(_ ids: [ID]) {
        for id in ids {
            guard let record = records[id], record.state == .queued else { continue }
            waiting.remove(record)
            waiting.insert(record)
        }
    }

    /// Takes back what was stored, as it was: what ran goes on, or is paused.
    mutating func restore(_ stored: QueueRecord, policy: ManagerConfiguration.RestorePolicy) -> [Action] {
        var record = stored
        lastID = max(lastID, record.id.rawValue)
        lowestRank = min(lowestRank, record.rank)
        highestRank = max(highestRank, record.rank)
        if stored.state.isActive {
            record.state = policy == .goOn ? .queued : .paused
            record.hasBegun = policy == .goOn
        }
        insert(record)
        if record.state == .queued { waiting.insert(record) }
        return stored.state.isActive ? [.save(record.id)] : []
    }

    private mutating func insert(_ record: QueueRecord) {
        var record = record
        // Most go to one directory: its path is in memory once.
        if record.destination == lastDestination { record.destination = lastDestination }
        lastDestination = record.destination
        records[record.id] = record
        identifiers[record.identifier] = record.id
        if let path = record.path ?? record.destination.file { owners[path] = record.id }
        if record.state == .retrying { addRetry(record) }
    }

    private mutating func addRetry(_ record: QueueRecord) {
        retrying.insert(record.id)
        let due = record.retriesAt ?? .distantPast
        nextRetry = min(nextRetry ?? due, due)
    }

    private mutating func removeRetry(_ record: QueueRecord) {
        retrying.remove(record.id)
        guard record.retriesAt == nextRetry else { return }
        nextRetry = retrying.compactMap { records[$0]?.retriesAt }.min()
    }

    /// Forgets a download.
    mutating func erase(_ id: ID, withFiles: Bool) -> [Action] {
        guard let record = records[id] else { return [] }
        records[id] = nil
        if identifiers[record.identifier] == id { identifiers[record.identifier] = nil }
        for path in [record.path, record.destination.file].compactMap({ $0 }) where owners[path] == id {
            owners[path] = nil
        }
        if record.state == .queued { waiting.remove(record) }
        if record.state == .retrying { removeRetry(record) }
        runs[id] = nil
        return [.erase(record, withFiles: withFiles)]
    }

    // MARK: Changing records

    /// Changes a record; what depends on its place or state is kept in step.
    ///
    /// - Returns: What follows from it; nothing if nothing changed.
    mutating func edit(_ id: ID, _ body: (inout QueueRecord) -> Void) -> [Action] {
        guard let before = records[id] else { return [] }
        var record = before
        body(&record)
        guard record != before else { return [] }
        if record.state != .retrying { record.retriesAt = nil }
        if before.state == .queued { waiting.remove(before) }
        if record.state == .queued { waiting.insert(record) }
        if before.state == .retrying { removeRetry(before) }
        if record.state == .retrying { addRetry(record) }
        if record.identifier != before.identifier {
            identifiers[before.identifier] = nil
            identifiers[record.identifier] = id
        }
        records[id] = record
        let change: [Action] =
            record.state == before.state ? [] : [.changed(id, from: before.state, to: record.state)]
        return [.save(id)] + change
    }

    mutating func setRun(_ id: ID, intent: Intent) -> [Action] {
        // It is stopped once; what follows may be changed until it has.
        let isFirst = runs[id]?.intent == nil
        runs[id]?.intent = intent
        return isFirst ? [.stop(id)] : []
    }

    func intent(of id: ID) -> Intent? { runs[id]?.intent }

    /// Adds the time that a run has taken to its record.
    mutating func countTime(_ id: ID, now: Date) -> [Action] {
        guard let run = runs[id] else { return [] }
        runs[id]?.counted = now
        // The clock may have been set back.
        let seconds = max(0, now.timeIntervalSince(run.counted))
        return edit(id) { $0.seconds += seconds }
    }

    mutating func removeRun(_ id: ID) { runs[id] = nil }

    /// Takes a final path for a download.
    ///
    /// - Returns: `nil` if another download's bytes are there.
    mutating func claim(_ path: FilePath, for id: ID) -> [Action]? {
        if let owner = owners[path], owner != id, records[owner]?.state != .completed { return nil }
        guard let before = records[id] else { return nil }
        if let old = before.path, old != path, owners[old] == id { owners[old] = nil }
        owners[path] = id
        return edit(id) { record in
            if record.path != path { record.part = nil }
            record.path = path
        }
    }

    // MARK: Order

    mutating func rankBehindAll() -> Int64 {
        highestRank += Self.gap
        return highestRank
    }

    mutating func rankBeforeAll() -> Int64 {
        lowestRank -= Self.gap
        return lowestRank
    }

    /// A place right before another download; the others are renumbered if there is no room.
    mutating func rank(before other: ID) -> (rank: Int64, actions: [Action]) {
        var actions: [Action] = []
        while let next = records[other]?.rank {
            let previous = records.values.lazy.map(\.rank).filter { $0 < next }.max() ?? next - 2 * Self.gap
            if next - previous >= 2 {
                let rank = previous + (next - previous) / 2
                lowestRank = min(lowestRank, rank)
                return (rank, actions)
            }
            actions += renumber()
        }
        return (rankBehindAll(), actions)
    }

    private mutating func renumber() -> [Action] {
        let ids = ordered.map(\.id)
        lowestRank = 0
        highestRank = Int64(ids.count) * Self.gap
        // From the back, so that no two have the same rank meanwhile.
        var actions: [Action] = []
        let shift = (records.values.map(\.rank).max() ?? 0) + Self.gap
        for (index, id) in ids.enumerated() {
            actions += edit(id) { $0.rank = shift + Int64(index) * Self.gap }
        }
        highestRank += shift
        lowestRank = shift
        return actions
    }

    // MARK: Deciding

    mutating func setLimits(_ limits: Limits) {
        self.limits = limits
    }

    /// Begins what may begin, and puts back what is too much.
    mutating func settle(now: Date) -> [Action] {
        var actions: [Action] = []
        if let due = nextRetry, due <= now {
            for id in retrying where records[id]?.retriesAt.map({ $0 <= now }) ?? true {
                actions += edit(id) { $0.state = .queued }
            }
        }
        guard isRunning else { return actions }
        while runs.count < limits.activeFiles, let id = waiting.first {
            lastRun += 1
            runs[id] = Run(number: lastRun, counted: now)
            actions += edit(id) { record in
                record.state = .probing
                record.hasBegun = true
                record.attempts += 1
                record.started = record.started ?? now
                record.ended = nil
            }
            actions.append(.begin(id, run: lastRun))
        }
        return actions + putBackExcess()
    }

    private mutating func putBackExcess() -> [Action] {
        let excess = runs.count - limits.activeFiles
        let stopping = runs.values.count { $0.intent != nil }
        guard excess > stopping else { return [] }
        // The last to be begun is the first to go back.
        let candidates = runs.filter { $0.value.intent == nil }.sorted { $0.value.number > $1.value.number }
        return candidates.prefix(excess - stopping).flatMap { setRun($0.key, intent: .goOn) }
    }
}

extension DownloadRequest.Destination {
    var file: FilePath? {
        guard case .file(let path) = self else { return nil }
        return path
    }
}
