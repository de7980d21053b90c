internal import Foundation
internal import GRDB
internal import SystemPackage

/// The SQLite database of a queue, open for this process alone. Every call blocks.
final class QueueStore: Sendable {
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

    private let path: FilePath
    private let lock: StoreLock
    private let database: DatabaseQueue

    /// Opens the database, makes it if it is missing, and brings one of an earlier version up to date.
    ///
    /// - Throws: `DownloadError` with code `locked` if another process has the queue open, `badStore` if the
    ///   file is damaged or of a newer version, else a disk's.
    init(path: FilePath, durability: Durability) throws(DownloadError) {
        // One queue has one lock, whatever it is called.
        let path = SystemCalls.resolved(path)
        self.path = path
        do {
            lock = try StoreLock(for: path)
            // SQLite makes its files readable for all; URLs may hold signatures.
            try Self.makePrivate(path)
            database = try Self.open(path, durability: durability)
        } catch {
            throw Self.explained(error, path)
        }
    }

    /// Reads the records of a queue that may be open in another process, one by one in the order of the queue.
    ///
    /// - Throws: `DownloadError`, and what `body` throws.
    static func read(_ path: FilePath, _ body: (QueueRecord) throws -> Void) throws(DownloadError) {
        do {
            try examined(path).read { database in
                // A queue that nobody has begun yet.
                guard try !Self.isEmpty(database) else { return }
                let rows = try QueueRow.order(sql: "rank").fetchCursor(database)
                while let row = try rows.next() { try body(row.record()) }
            }
        } catch {
            throw explained(error, path)
        }
    }

    private static func open(_ path: FilePath, durability: Durability) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // FULL: what a call has said to be stored outlives a power cut.
            try database.execute(sql: "PRAGMA synchronous = \(durability == .power ? "FULL" : "NORMAL")")
            // Pages of 4 KiB: the log of a queue that runs for weeks stays at a megabyte.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 250")
        }
        // Opening it for writing changes it, and one that is damaged or newer must stay as it is.
        try examined(path).close()
        let database = try DatabaseQueue(path: path.string, configuration: configuration)
        try QueueRow.migrator.migrate(database)
        return database
    }

    /// Opens the database for reading, if it is sound and of a known version.
    private static func examined(_ path: FilePath) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let database = try DatabaseQueue(path: path.string, configuration: configuration)
        let verdict = try database.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
        guard verdict == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict) }
        let isEmpty = try database.read(Self.isEmpty)
        let owner = try database.read { try Int32.fetchOne($0, sql: "PRAGMA application_id") }
        guard isEmpty || owner == QueueRow.applicationID else {
            throw DownloadError(
                .badStore, "'\(path)' is another program's database; choose another name for the queue.")
        }
        if try database.read(QueueRow.migrator.hasBeenSuperseded) {
            throw DownloadError(
                .badStore, "The queue '\(path)' was made by a newer version; open it with that one.")
        }
        return database
    }

    private static func isEmpty(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") == 0
    }

    private static func makePrivate(_ path: FilePath) throws {
        try storageCall("open", path) {
            try FileDescriptor.open(
                path, .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite]
            ).close()
        }
    }

    /// The highest number that any record ever had.
    func lastID() throws(DownloadError) -> Int64 {
        try explaining { try database.read(QueueRow.lastID) }
    }

    /// Reads all records, one by one.
    func forEach(_ body: (QueueRecord) throws -> Void) throws(DownloadError) {
        try explaining {
            try database.read { database in
                let rows = try QueueRow.fetchCursor(database)
                while let row = try rows.next() { try body(row.record()) }
            }
        }
    }

    /// Makes all changes, or none.
    func apply(_ changes: [Change]) throws(DownloadError) {
        try explaining {
            try database.write { database in
                for change in changes {
                    switch change {
                    case .save(let record): try QueueRow(record).upsert(database)
                    case .erase(let id): _ = try QueueRow.deleteOne(database, key: id.rawValue)
                    }
                }
            }
        }
    }

    /// Nothing may be asked of it after.
    func close() {
        try? database.close()
        lock.release()
    }

    private func explaining<Result>(_ body: () throws -> Result) throws(DownloadError) -> Result {
        do {
            return try body()
        } catch {
            throw Self.explained(error, path)
        }
    }

    private static func explained(_ error: any Error, _ path: FilePath) -> DownloadError {
        switch error {
        case let error as DownloadError:
            return error
        case let error as StorageError:
            return error.asDownloadError
        case let error as DatabaseError:
            return explained(error, path)
        default:
            return DownloadError(
                .badStore,
                "The queue '\(path)' holds what this version cannot read (\(error)); move it away to begin a new one.",
                cause: error)
        }
    }

    private static func explained(_ error: DatabaseError, _ path: FilePath) -> DownloadError {
        let what = "The queue '\(path)'"
        let text = error.message.map { " (\($0))" } ?? ""
        switch error.resultCode {
        case .SQLITE_FULL:
            return DownloadError(
                .diskFull, "\(what) cannot be written: the disk is full; make room.", isRetryable: true,
                cause: error)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return DownloadError(
                .locked, "\(what) is locked by another program; end that one.", isRetryable: true,
                cause: error)
        // A plain error is one in a statement: a table or column is not there.
        case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_ERROR:
            return DownloadError(
                .badStore,
                "\(what) is damaged, or no queue\(text); move it away to begin a new one. Files that were begun stay where they are, and go on when they are added again.",
                cause: error)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            return DownloadError(
                .permissionDenied, "\(what) may not be written\(text); choose another place.", cause: error)
        case .SQLITE_CANTOPEN:
            return DownloadError(
                .badPath, "\(what) cannot be opened\(text); check its directory.", cause: error)
        default:
            return DownloadError(
                .ioFailed, "\(what) cannot be used\(text); check the disk.", isRetryable: true, cause: error)
        }
    }
}
