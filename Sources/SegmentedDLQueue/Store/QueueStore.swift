internal import Foundation
internal import GRDB
internal import SegmentedDL
import SegmentedDLDatabase
import SegmentedDLSupport
internal import SystemPackage

/// The SQLite database of a queue, open for this process alone. Every call blocks.
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

    private static let file = DatabaseFile(
        noun: "The queue", kind: "queue", applicationID: QueueSchema.applicationID,
        consolation: "Files that were begun stay where they are, and go on when they are added again.",
        size: .small, migrator: { QueueSchema.migrator })

    private let path: FilePath
    private let lock: StoreLock
    private let database: DatabaseQueue
    /// Reads while the other one writes: it sees what was stored last.
    private let reader: DatabaseQueue
    private let isClosed = Lock(false)
    private let firstFailure = Lock<DownloadError?>(nil)

    /// Opens the database, makes it if it is missing, and brings one of an earlier version up to date.
    ///
    /// - Throws: `DownloadError` with code `locked` if another process has the queue open, `badStore` if the
    ///   file is damaged or of a newer version, else a disk's.
    init(path: FilePath, durability: Durability) throws(DownloadError) {
        // One queue has one lock, whatever it is called.
        let path = SystemCalls.resolved(path)
        self.path = path
        do {
            lock = try StoreLock(for: path, of: Self.file.noun)
            try DatabaseFile.makePrivate(path)
            database = try Self.file.open(path, isDurable: durability == .power)
            reader = try Self.file.reader(path)
        } catch {
            throw Self.file.explained(error, path)
        }
    }

    /// Reads the records of a queue that may be open in another process, one by one in the order of the queue.
    ///
    /// - Throws: `DownloadError`, and what `body` throws.
    static func read(_ path: FilePath, _ body: (QueueRecord) throws -> Void) throws(DownloadError) {
        do {
            try file.examined(path).read { database in
                // A queue that nobody has begun yet.
                guard try !DatabaseFile.isEmpty(database) else { return }
                try QueueRows(database).forEach(by: "rank", body)
            }
        } catch {
            throw file.explained(error, path)
        }
    }

    /// The highest number that any record ever had.
    func lastID() throws(DownloadError) -> Int64 {
        try explaining { try database.read(QueueSchema.lastID) }
    }

    /// Reads all records, one by one.
    func forEach(_ body: (QueueRecord) throws -> Void) throws(DownloadError) {
        try explaining {
            try reader.read { try QueueRows($0).forEach(by: "id", body) }
        }
    }

    func records(_ ids: [Receipt.ID]) -> [QueueRecord] {
        do throws(DownloadError) {
            return try explaining {
                // Closing waits for it.
                try isClosed.withLock { isClosed in
                    let reader = isClosed ? try Self.file.reader(path) : reader
                    return try reader.read { database in
                        let rows = QueueRows(database)
                        return try ids.compactMap { id in
                            let record = try rows.record(id)
                            if record == nil { refuse(id) }
                            return record
                        }
                    }
                }
            }
        } catch {
            firstFailure.withLock { $0 = $0 ?? error }
            return []
        }
    }

    func refuse(_ id: Receipt.ID) {
        let error = DownloadError(
            .badStore,
            "Download \(id) of the queue '\(path)' is not as it was stored: another program has changed it. Open the queue again to go on with what is there."
        )
        firstFailure.withLock { $0 = $0 ?? error }
    }

    var hasFailed: Bool { failure != nil }

    /// Why records could not be read, once it happened: nothing can be decided without them.
    var failure: DownloadError? { firstFailure.withLock { $0 } }

    /// Makes all changes, or none.
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

    /// Nothing can be stored after.
    func close() {
        isClosed.withLock { isClosed in
            isClosed = true
            try? reader.close()
        }
        try? database.close()
        lock.release()
    }

    private func explaining<Result>(_ body: () throws -> Result) throws(DownloadError) -> Result {
        do {
            return try body()
        } catch {
            throw Self.file.explained(error, path)
        }
    }
}
