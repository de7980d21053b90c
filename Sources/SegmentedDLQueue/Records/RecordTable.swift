internal import SegmentedDL

/// The store of the records that are not in memory.
protocol RecordSource: Sendable {
    /// Returns the stored records of these numbers, in any order. Blocks.
    func records(_ ids: [Receipt.ID]) -> [QueueRecord]

    /// Reports that a record differs from the stored one because another program has changed it.
    func refuse(_ id: Receipt.ID)

    /// True if a record could not be read or was refused. The source stores the reason.
    var hasFailed: Bool { get }
}

/// The records of a queue by number.
///
/// Only the fields that determine each record's position are kept in memory; the whole record only while it
/// differs from the stored one or is in use. Other records are read on demand, so that a queue of many
/// downloads needs little memory.
struct RecordTable: Sendable {
    /// How a record in memory relates to the stored one.
    enum Storage: Equatable, Sendable {
        case same, unsaved
        /// It is being written to the store, as the change with that number.
        case submitted(Int)
    }

    private struct Entry: Sendable, Equatable {
        let rank: Int64
        /// The hash of the record's URL.
        let url: Int
        let state: DownloadState

        init(_ record: QueueRecord) {
            rank = record.rank
            url = record.source.identity.hashValue
            state = record.state
        }
    }

    /// A class, because with a value type each empty slot of the table would be as large as a record.
    private final class Held: Sendable {
        let record: QueueRecord
        let storage: Storage

        init(_ record: QueueRecord, _ storage: Storage) {
            self.record = record
            self.storage = storage
        }
    }

    /// The number of records read at a time.
    private static let batch = 256

    private let source: (any RecordSource)?
    private let allowance: Int
    private var entries: [Receipt.ID: Entry] = [:]
    private var held: [Receipt.ID: Held] = [:]
    private var mostHeld: Int
    private(set) var totals = QueueTotals()

    /// - Parameter allowance: The maximum number of records in memory before stored ones are dropped.
    init(_ source: (any RecordSource)?, allowance: Int) {
        self.source = source
        self.allowance = allowance
        mostHeld = allowance
    }

    // MARK: Fields in memory

    var count: Int { entries.count }
    var ranks: some Collection<Int64> { entries.values.lazy.map(\.rank) }
    /// All numbers in queue order.
    var ids: [Receipt.ID] { ids { _ in true } }

    func contains(_ id: Receipt.ID) -> Bool { entries[id] != nil }
    func state(of id: Receipt.ID) -> DownloadState? { entries[id]?.state }
    func rank(of id: Receipt.ID) -> Int64? { entries[id]?.rank }
    /// Returns the downloads in a state, in queue order.
    func ids(in state: DownloadState) -> [Receipt.ID] { ids { $0.state == state } }
    /// Returns the downloads in some states, in queue order.
    func ids(in states: Set<DownloadState>) -> [Receipt.ID] { ids { states.contains($0.state) } }

    private func ids(where isMeant: (Entry) -> Bool) -> [Receipt.ID] {
        entries.filter { isMeant($0.value) }.sorted { $0.value.rank < $1.value.rank }.map(\.key)
    }

    // MARK: Whole records

    /// True if some records can no longer be read.
    var isIncomplete: Bool { source?.hasFailed ?? false }

    subscript(id: Receipt.ID) -> QueueRecord? {
        guard entries[id] != nil else { return nil }
        return held[id]?.record ?? read([id]).first
    }

    private func read(_ ids: [Receipt.ID]) -> [QueueRecord] {
        guard let source, !ids.isEmpty else { return [] }
        return source.records(ids).filter { record in
            let isSame = entries[record.id] == Entry(record)
            if !isSame { source.refuse(record.id) }
            return isSame
        }
    }

    /// Returns the downloads of a URL, by its ``Source/identity``, in queue order.
    func ids(from url: String) -> [Receipt.ID] {
        let hash = url.hashValue
        return ids { $0.url == hash }.filter { self[$0]?.source.identity == url }
    }

    /// Runs `body` with the records of these numbers, in this order, reading many at a time.
    func forEach(_ ids: [Receipt.ID], _ body: (QueueRecord) -> Void) {
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            let part = ids[start..<min(start + Self.batch, ids.count)]
            let missing = read(part.filter { entries[$0] != nil && held[$0] == nil })
            let found = Dictionary(missing.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            for id in part {
                if let record = held[id]?.record ?? found[id] { body(record) }
            }
        }
    }

    /// True if the record is in memory.
    func holds(_ id: Receipt.ID) -> Bool { held[id] != nil }

    /// Reads records into memory, many at a time.
    mutating func hold(_ ids: [Receipt.ID]) {
        var read: [QueueRecord] = []
        forEach(ids.filter { held[$0] == nil }) { read.append($0) }
        for record in read { held[record.id] = Held(record, .same) }
    }

    // MARK: Changes

    mutating func insert(_ record: QueueRecord, isStored: Bool) {
        index(record)
        totals.add(record)
        if !isStored {
            held[record.id] = Held(record, .unsaved)
        } else if held.count < allowance {
            held[record.id] = Held(record, .same)
        }
    }

    mutating func replace(_ before: QueueRecord, with record: QueueRecord) {
        index(record)
        totals.remove(before)
        totals.add(record)
        held[record.id] = Held(record, .unsaved)
    }

    mutating func remove(_ record: QueueRecord) {
        entries[record.id] = nil
        held[record.id] = nil
        totals.remove(record)
    }

    private mutating func index(_ record: QueueRecord) {
        entries[record.id] = Entry(record)
    }

    /// Marks the current record as being written to the store.
    mutating func markSubmitted(_ id: Receipt.ID, as change: Int) {
        guard let record = held[id]?.record else { return }
        held[id] = Held(record, .submitted(change))
    }

    /// Drops stored records from memory, if it holds many.
    ///
    /// - Parameters:
    ///   - stored: The number of the newest stored change; all earlier ones are also stored.
    ///   - isThorough: True to inspect them even if their number has hardly grown since the last time.
    ///   - isInUse: Returns true for a record to keep.
    mutating func trim(stored: Int, isThorough: Bool, keeping isInUse: (Receipt.ID) -> Bool) {
        guard source != nil, held.count > (isThorough ? allowance : mostHeld) else { return }
        held = held.filter { id, held in
            switch held.storage {
            case .unsaved: true
            case .same: isInUse(id)
            case .submitted(let change): change > stored || isInUse(id)
            }
        }
        // Inspecting them takes time in proportion to their number: inspect them again only when it has
        // doubled.
        mostHeld = max(allowance, 2 * held.count)
    }
}

/// The sums over all downloads of a queue, updated with every change.
struct QueueTotals: Sendable, Equatable {
    private(set) var counts: [DownloadState: Int] = [:]
    // 128 bits: two absurd lengths from servers must not crash the process.
    private var bytesCompleted: Int128 = 0
    private var bytesTotal: Int128 = 0
    private var unknownLengths = 0

    mutating func add(_ record: QueueRecord) { count(record, 1) }
    mutating func remove(_ record: QueueRecord) { count(record, -1) }

    private mutating func count(_ record: QueueRecord, _ sign: Int) {
        let count = counts[record.state, default: 0] + sign
        counts[record.state] = count == 0 ? nil : count
        bytesCompleted += Int128(sign) * Int128(record.bytesCompleted)
        let share = QueueProgress.Share(record.state, record.bytesCompleted, of: record.bytesTotal)
        bytesTotal += Int128(sign) * Int128(share.total)
        if share.isUnknown { unknownLengths += sign }
    }

    var progress: QueueProgress {
        var progress = QueueProgress()
        progress.counts = counts
        progress.bytesCompleted = Int64(clamping: bytesCompleted)
        progress.bytesTotal = Int64(clamping: bytesTotal)
        progress.unknownLengths = unknownLengths
        return progress
    }
}
