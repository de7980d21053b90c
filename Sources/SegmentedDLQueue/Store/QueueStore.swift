import SegmentedDL
import SegmentedDLDatabase
import SegmentedDLSupport
internal import SystemPackage

/// The SQLite database of a queue, opened exclusively by this process. Every call blocks.
final class QueueStore: RecordSource {
    enum Change: Equatable, Sendable {
        indirect case save(QueueRecord)
        case erase(Receipt.ID)

        var id: Receipt.ID {
            switch self {
            case .save(let record): record.id
            case .erase(let id): id
            }
        }
    }

    private static let file = QueueSchema.file

    private let path: FilePath
    private let lock: StoreLock
    private let database: SharedDatabase
    /// A second connection, for reading while the other one writes. It sees the last committed transaction.
    private let reader: SharedDatabase
    private let isClosed = Lock(false)
    private let firstFailure = Lock<DownloadError?>(nil)

    /// Opens the database, creating it if it is missing, and migrates a database of an earlier version.
    ///
    /// - Parameter isBrief: True if it is closed as soon as some changes are stored.
    /// - Throws: `DownloadError` with code `locked` if another process has the queue open, `badStore` if the
    ///   file is damaged or of a newer version, or a disk error.
    init(
        path named: FilePath, durability: Durability, roots: [String: FilePath] = [:], isBrief: Bool = false
    ) throws(DownloadError) {
        let places = try StoredPlaces(store: named, roots: roots)
        // A queue has a single lock, regardless of the path by which it is opened.
        let path = SystemCalls.resolved(named)
        self.path = path
        let (lock, database) = try Self.file.open(path, isDurable: durability == .power, isBrief: isBrief)
        do {
            try Self.file.explaining(path) { try places.update(database) }
        } catch {
            database.close()
            lock.release()
            throw error
        }
        self.lock = lock
        self.database = SharedDatabase(database)
        reader = try Self.reader(path, locks: lock.isHeld)
    }

    private static func reader(_ path: FilePath, locks: Bool) throws(DownloadError) -> SharedDatabase {
        try file.explaining(path) { SharedDatabase(try Database(path, .readOnly, locks: locks)) }
    }

    /// Reads the records of a queue that may be open in another process, one by one in queue order.
    ///
    /// - Throws: `DownloadError`, and the errors of `body`.
    static func read(_ path: FilePath, _ body: (QueueRecord) throws -> Void) throws(DownloadError) {
        try file.explaining(path, isReading: true) {
            guard try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }) != nil else {
                throw DownloadError(.badPath, "The queue '\(path)' does not exist; check its path.")
            }
            let database = try file.examined(path)
            defer { database.close() }
            try database.snapshot {
                // The queue has not been used yet.
                guard try !file.schema.isBlank(database) else { return }
                try QueueRows(database).forEach(by: "rank", body)
            }
        }
    }

    /// The highest number that any record has ever had.
    func lastID() throws(DownloadError) -> Int64 {
        try explaining { try database.use { try QueueRows($0).lastID() } }
    }

    /// Reads all records, one by one.
    func forEach(_ body: (QueueRecord) throws -> Void) throws(DownloadError) {
        try explaining { try reader.use { try QueueRows($0).forEach(by: "id", body) } }
    }

    func records(_ ids: [Receipt.ID]) -> [QueueRecord] {
        do throws(DownloadError) {
            // Closing waits for the reader.
            return try isClosed.withLock { isClosed throws(DownloadError) in
                let reader = isClosed ? try Self.reader(path, locks: lock.isHeld) : self.reader
                return try explaining { try reader.use { try records(ids, in: $0) } }
            }
        } catch {
            keepFirst(error)
            return []
        }
    }

    /// - Returns: The records that exist.
    private func records(_ ids: [Receipt.ID], in database: Database) throws -> [QueueRecord] {
        let rows = QueueRows(database)
        return try database.snapshot {
            try ids.compactMap { id in
                let record = try rows.record(id)
                if record == nil { refuse(id) }
                return record
            }
        }
    }

    func refuse(_ id: Receipt.ID) {
        keepFirst(
            DownloadError(
                .badStore,
                "Download \(id) of the queue '\(path)' differs from the stored one, because another program has changed it. Reopen the queue to continue with its current content."
            ))
    }

    private func keepFirst(_ error: DownloadError) {
        firstFailure.withLock { $0 = $0 ?? error }
    }

    var hasFailed: Bool { failure != nil }

    /// The reason why records could not be read, so that no decision is possible; `nil` if all were read.
    var failure: DownloadError? { firstFailure.withLock { $0 } }

    /// Applies all changes, or none.
    func apply(_ changes: [Change]) throws(DownloadError) {
        try explaining {
            try database.write { database in
                let rows = QueueRows(database)
                for change in changes {
                    switch change {
                    case .save(let record): try rows.save(record)
                    case .erase(let id): try rows.erase(id)
                    }
                }
            }
        }
    }

    /// Closes the database. Nothing can be stored afterwards.
    func close() {
        isClosed.withLock { isClosed in
            isClosed = true
            reader.close()
        }
        database.close()
        lock.release()
    }

    private func explaining<Value>(_ body: () throws -> Value) throws(DownloadError) -> Value {
        try Self.file.explaining(path, body)
    }
}
