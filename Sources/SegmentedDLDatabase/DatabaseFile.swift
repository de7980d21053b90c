package import SegmentedDL
internal import SystemPackage

/// A kind of SQLite database used by this library: how it is opened, and its error messages.
package struct DatabaseFile: Sendable {
    /// The subject of error messages, such as "The queue".
    private let noun: String
    /// The noun for a valid file, such as "queue".
    private let kind: String
    /// A sentence about what remains if the database is lost.
    private let consolation: String
    private let size: Size
    package let schema: Schema

    /// The limits of a database's memory and log.
    package struct Size: Sendable {
        /// The size of the page cache in KiB (PRAGMA cache_size).
        fileprivate let cacheKibibytes: Int
        /// The number of 4 KiB pages after which the log is written back (PRAGMA wal_autocheckpoint).
        fileprivate let logPages: Int

        /// For databases that are open for weeks and change little.
        package static let small = Size(cacheKibibytes: 2_000, logPages: 250)
        /// For databases whose rows are each written several times a minute.
        package static let large = Size(cacheKibibytes: 8_000, logPages: 4_000)
    }

    package init(noun: String, kind: String, consolation: String, size: Size, schema: Schema) {
        self.noun = noun
        self.kind = kind
        self.consolation = consolation
        self.size = size
        self.schema = schema
    }

    /// Opens the database exclusively, until it is closed. Creates a missing database, and migrates one of an
    /// earlier version.
    ///
    /// - Parameters:
    ///   - isDurable: True if a completed transaction must survive a power cut.
    ///   - isBrief: True if it is closed as soon as some changes are stored.
    /// - Throws: `DownloadError` with code `locked` if another process has it open, `badStore` if the file is
    ///   damaged, or from another program or a newer version, or a disk error.
    package func open(
        _ path: FilePath, isDurable: Bool, isBrief: Bool = false
    ) throws(DownloadError) -> (StoreLock, Database) {
        let isNew = Self.isBlank(path)
        do throws(DownloadError) {
            return try openOwned(path, isDurable: isDurable, isBrief: isBrief)
        } catch {
            let directory = path.removingLastComponent()
            guard [.ioFailed, .permissionDenied, .badPath].contains(error.code),
                DatabaseProbe.isRefused(in: directory)
            else { throw error }
            // Otherwise every later run would find a file that is not a database.
            if isNew { DatabaseProbe.remove(path) }
            throw DownloadError(
                error.code,
                "\(noun) cannot be in '\(directory)': its file system does not let a program change a file in place. Mount it with a cache (rclone: --vfs-cache-mode writes), or choose another directory.",
                cause: error)
        }
    }

    /// True if the file is missing or empty.
    private static func isBlank(_ path: FilePath) -> Bool {
        do {
            return try SystemCalls.statusIfThere(path).map { $0.size == 0 } ?? true
        } catch {
            return false
        }
    }

    private func openOwned(
        _ path: FilePath, isDurable: Bool, isBrief: Bool
    ) throws(DownloadError) -> (StoreLock, Database) {
        try explaining(path) {
            let lock = try StoreLock(for: path, of: noun, isBrief: isBrief)
            try Self.makePrivate(path)
            // Opening for writing changes the file, and a damaged or newer one must remain unchanged.
            try examined(path, locks: lock.isHeld).close()
            let database = try Database(path, .readWrite, locks: lock.isHeld)
            try database.writeAhead(isDurable ? .full : .normal)
            try database.run(
                """
                PRAGMA cache_size = -\(size.cacheKibibytes);
                PRAGMA wal_autocheckpoint = \(size.logPages);
                """)
            // Acquires the write lock once: otherwise only the first change would detect that another
            // program has locked the database.
            try database.transaction {}
            try schema.update(database)
            return (lock, database)
        }
    }

    /// Opens the database for reading, if it is intact and its version is known. Does not create it, and
    /// needs no write permission unless a change must be rolled back, or its write-ahead log must be merged.
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
            // It uses a write-ahead log, and was copied from another file system.
            let writer = try Database(path, .change, locks: locks)
            defer { writer.close() }
            try writer.useJournal()
        } catch let error as DatabaseError where error.lacksPermission {
            // It uses a write-ahead log, beside which this reader cannot create an index. Without a log, the
            // file is complete.
            guard Self.isBlank(path.appendingToName("-wal")) else { throw error }
            return try examinedOnce(path, locks, .immutable)
        } catch let error as DatabaseError where error.isUnfinishedChange {
            // A process was killed while it changed the file without a log, for example on creation. SQLite
            // rolls the change back on the next access, which needs write access.
            let writer = try Database(path, .change, locks: locks)
            defer { writer.close() }
            _ = try schema.isBlank(writer)
        }
        return try examinedOnce(path, locks)
    }

    private func examinedOnce(
        _ path: FilePath, _ locks: Bool, _ access: Database.Access = .readOnly
    ) throws -> Database {
        let database = try Database(path, access, locks: locks)
        let verdict = try database.first("PRAGMA quick_check(1)") { try $0.text(0) } ?? ""
        guard verdict == "ok" else { throw DatabaseError(.corrupt, verdict) }
        guard try schema.fits(database) else {
            throw DownloadError(
                .badStore,
                "'\(path)' is another program's database; move it away, or choose another location.")
        }
        if try schema.isOlder(than: database) {
            throw DownloadError(
                .badStore, "\(noun) '\(path)' was created by a newer version; open it with that version.")
        }
        return database
    }

    /// Creates the file for its owner only: SQLite would make it readable by everyone, and URLs may contain
    /// signatures.
    private static func makePrivate(_ path: FilePath) throws {
        try storageCall("open", path) {
            try FileDescriptor.open(
                path, .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite]
            ).close()
        }
    }

    // MARK: Errors

    /// Runs `body` on the database at a path, and adds explanations to its errors.
    ///
    /// - Parameter isReading: True if `body` only reads.
    package func explaining<Value>(
        _ path: FilePath, isReading: Bool = false, _ body: () throws -> Value
    ) throws(DownloadError) -> Value {
        do {
            return try body()
        } catch {
            throw explained(error, path, isReading: isReading)
        }
    }

    /// Returns an error of the database at a path with an explanation.
    private func explained(_ error: any Error, _ path: FilePath, isReading: Bool) -> DownloadError {
        switch error {
        case let error as DownloadError:
            return error
        case let error as StorageError:
            return error.asDownloadError
        case let error as DatabaseError:
            return explained(error, path, isReading: isReading)
        default:
            return DownloadError(
                .badStore,
                "\(noun) '\(path)' contains data that this version cannot read (\(error)); move it away to begin a new one.",
                cause: error)
        }
    }

    private func explained(_ error: DatabaseError, _ path: FilePath, isReading: Bool) -> DownloadError {
        let what = "\(noun) '\(path)'"
        let text = " (\(error.message))"
        switch error.code {
        case .full:
            return DownloadError(
                .diskFull, "\(what) cannot be written: the disk is full; free some space.", isRetryable: true,
                cause: error)
        case .busy, .locked:
            return DownloadError(
                .locked, "\(what) is locked by another program; close that program.", isRetryable: true,
                cause: error)
        // A statement is invalid if its table or column does not exist.
        case .notADatabase, .corrupt, .statement, .mismatch:
            return DownloadError(
                .badStore,
                "\(what) is damaged, or not a \(kind)\(text); move it away to begin a new one. \(consolation)",
                cause: error)
        case .readOnly where isReading, .permission where isReading, .authorization where isReading:
            return DownloadError(
                .permissionDenied,
                "\(what) cannot be read\(text); check the permissions of its file and directory.",
                cause: error)
        case .readOnly, .permission, .authorization:
            return DownloadError(
                .permissionDenied, "\(what) cannot be written\(text); choose another location.", cause: error)
        case .cannotOpen:
            return DownloadError(
                .badPath, "\(what) cannot be opened\(text); check its directory.", cause: error)
        default:
            return DownloadError(
                .ioFailed, "\(what) cannot be used\(text); check the disk.", isRetryable: true, cause: error)
        }
    }
}
