package import SegmentedDL
internal import SystemPackage

/// A kind of SQLite database of this library: how it is opened, and how its errors read.
package struct DatabaseFile: Sendable {
    /// Its name in a sentence, as "The queue".
    private let noun: String
    /// The name of what a file should be, as "queue".
    private let kind: String
    /// A sentence on what is left when it has to be given up.
    private let consolation: String
    private let size: Size
    package let schema: Schema

    /// How much memory and how long a log a database may have.
    package struct Size: Sendable {
        /// KiB of pages that are kept in memory (PRAGMA cache_size).
        fileprivate let cacheKibibytes: Int
        /// Pages of 4 KiB after which the log is written back (PRAGMA wal_autocheckpoint).
        fileprivate let logPages: Int

        /// For a database that is open for weeks, and changes little.
        package static let small = Size(cacheKibibytes: 2_000, logPages: 250)
        /// For a database whose every row is written several times in a minute.
        package static let large = Size(cacheKibibytes: 32_000, logPages: 4_000)
    }

    package init(noun: String, kind: String, consolation: String, size: Size, schema: Schema) {
        self.noun = noun
        self.kind = kind
        self.consolation = consolation
        self.size = size
        self.schema = schema
    }

    /// Opens the database for one owner, which has it until it closes it. Makes it if it is missing, and
    /// brings one of an earlier version up to date.
    ///
    /// - Parameter isDurable: True if a transaction that has returned is to outlive a power cut.
    /// - Throws: `DownloadError` with code `locked` if another process has it open, `badStore` if the file is
    ///   damaged, another program's or of a newer version, else a disk's.
    package func open(_ path: FilePath, isDurable: Bool) throws(DownloadError) -> (StoreLock, Database) {
        try explaining(path) {
            let lock = try StoreLock(for: path, of: noun)
            try Self.makePrivate(path)
            // Opening it for writing changes it, and one that is damaged or newer must stay as it is.
            try examined(path, locks: lock.isHeld).close()
            let database = try Database(path, .readWrite, locks: lock.isHeld)
            try database.writeAhead(isDurable ? .full : .normal)
            try database.run(
                """
                PRAGMA cache_size = -\(size.cacheKibibytes);
                PRAGMA wal_autocheckpoint = \(size.logPages);
                """)
            // Takes the right to write once, because otherwise only the first change would find that another
            // program has the database locked.
            try database.transaction {}
            try schema.update(database)
            return (lock, database)
        }
    }

    /// Opens the database for reading, if it is sound and of a known version.
    ///
    /// - Throws: `DatabaseError`, or `DownloadError` with code `badStore`.
    package func examined(_ path: FilePath, locks: Bool = true) throws -> Database {
        do {
            return try examinedOnce(path, locks)
        } catch let error as DatabaseError
            where locks && [.inputOutput, .busy].contains(error.code) && !StoreLock.isPossible(for: path)
        {
            return try examined(path, locks: false)
        } catch let error as DatabaseError where error.lacksSharedMemory {
            // It has a write-ahead log, and comes from another file system.
            let writer = try Database(path, .readWrite, locks: locks)
            defer { writer.close() }
            try writer.useJournal()
        } catch let error as DatabaseError where error.isUnfinishedChange {
            // A process was killed while it changed the file without a log, as when it made it. SQLite takes
            // the change back on the next access, which has to be one that may write.
            let writer = try Database(path, .readWrite, locks: locks)
            defer { writer.close() }
            _ = try schema.isBlank(writer)
        }
        return try examinedOnce(path, locks)
    }

    private func examinedOnce(_ path: FilePath, _ locks: Bool) throws -> Database {
        let database = try Database(path, .readOnly, locks: locks)
        let verdict = try database.first("PRAGMA quick_check(1)") { try $0.text(0) } ?? ""
        guard verdict == "ok" else { throw DatabaseError(.corrupt, verdict) }
        guard try schema.fits(database) else {
            throw DownloadError(
                .badStore,
                "'\(path)' is another program's database; move it away, or choose another place.")
        }
        if try schema.isOlder(than: database) {
            throw DownloadError(
                .badStore, "\(noun) '\(path)' was made by a newer version; open it with that one.")
        }
        return database
    }

    /// Makes the file for its owner alone, because SQLite would make it readable for all, and URLs may hold
    /// signatures.
    private static func makePrivate(_ path: FilePath) throws {
        try storageCall("open", path) {
            try FileDescriptor.open(
                path, .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite]
            ).close()
        }
    }

    // MARK: Errors

    /// Runs `body` on the database at a path, and says what its errors mean.
    package func explaining<Value>(_ path: FilePath, _ body: () throws -> Value) throws(DownloadError)
        -> Value
    {
        do {
            return try body()
        } catch {
            throw explained(error, path)
        }
    }

    /// Returns what an error of the database at a path means.
    private func explained(_ error: any Error, _ path: FilePath) -> DownloadError {
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
                "\(noun) '\(path)' holds what this version cannot read (\(error)); move it away to begin a new one.",
                cause: error)
        }
    }

    private func explained(_ error: DatabaseError, _ path: FilePath) -> DownloadError {
        let what = "\(noun) '\(path)'"
        let text = " (\(error.message))"
        switch error.code {
        case .full:
            return DownloadError(
                .diskFull, "\(what) cannot be written: the disk is full; make room.", isRetryable: true,
                cause: error)
        case .busy, .locked:
            return DownloadError(
                .locked, "\(what) is locked by another program; end that one.", isRetryable: true,
                cause: error)
        // A wrong statement is one whose table or column does not exist.
        case .notADatabase, .corrupt, .statement, .mismatch:
            return DownloadError(
                .badStore,
                "\(what) is damaged, or no \(kind)\(text); move it away to begin a new one. \(consolation)",
                cause: error)
        case .readOnly, .permission, .authorization:
            return DownloadError(
                .permissionDenied, "\(what) may not be written\(text); choose another place.", cause: error)
        case .cannotOpen:
            return DownloadError(
                .badPath, "\(what) cannot be opened\(text); check its directory.", cause: error)
        default:
            return DownloadError(
                .ioFailed, "\(what) cannot be used\(text); check the disk.", isRetryable: true, cause: error)
        }
    }
}
