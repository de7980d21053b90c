package import GRDB
package import SegmentedDL
package import SystemPackage

/// How this library's SQLite databases are opened, and how their errors read.
package struct DatabaseFile: Sendable {
    /// What it is called in a sentence, as "The queue".
    package let noun: String
    /// What another file is not, as "queue".
    package let kind: String
    /// Tells it from other programs' databases.
    package let applicationID: Int32
    /// What is left when it has to be given up, as a sentence.
    package let consolation: String
    /// How much memory and how long a log it may have.
    package let size: Size
    /// Every version's step from the one before. A step that was released is never changed.
    package let migrator: @Sendable () -> DatabaseMigrator

    package init(
        noun: String, kind: String, applicationID: Int32, consolation: String, size: Size,
        migrator: @escaping @Sendable () -> DatabaseMigrator
    ) {
        self.noun = noun
        self.kind = kind
        self.applicationID = applicationID
        self.consolation = consolation
        self.size = size
        self.migrator = migrator
    }

    package struct Size: Sendable {
        /// KiB of pages that are kept in memory (PRAGMA cache_size).
        package let cache: Int
        /// After so many pages of 4 KiB the log is written back (PRAGMA wal_autocheckpoint).
        package let log: Int

        /// For one that is open for weeks, and changes little.
        package static let small = Size(cache: 2_000, log: 250)
        /// For one whose every row is written several times in a minute.
        package static let large = Size(cache: 32_000, log: 4_000)
    }

    /// Opens the database, makes it if it is missing, and brings one of an earlier version up to date.
    ///
    /// - Parameter isDurable: Whether what a call has said to be stored outlives a power cut.
    package func open(_ path: FilePath, isDurable: Bool) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
            try database.execute(sql: "PRAGMA cache_size = -\(size.cache)")
            try database.execute(sql: "PRAGMA wal_autocheckpoint = \(size.log)")
        }
        // Opening it for writing changes it, and one that is damaged or newer must stay as it is.
        try examined(path).close()
        let database = try DatabaseQueue(path: path.string, configuration: configuration)
        try migrator().migrate(database)
        return database
    }

    /// Opens the database for reading, if it is sound and of a known version.
    package func examined(_ path: FilePath) throws -> DatabaseQueue {
        let database = try reader(path)
        let verdict = try database.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
        guard verdict == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict) }
        let isEmpty = try database.read(Self.isEmpty)
        let owner = try database.read { try Int32.fetchOne($0, sql: "PRAGMA application_id") }
        guard isEmpty || owner == applicationID else {
            throw DownloadError(
                .badStore,
                "'\(path)' is another program's database; move it away, or choose another place.")
        }
        if try database.read(migrator().hasBeenSuperseded) {
            throw DownloadError(
                .badStore, "\(noun) '\(path)' was made by a newer version; open it with that one.")
        }
        return database
    }

    /// Opens the database for reading, as it is.
    package func reader(_ path: FilePath) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        return try DatabaseQueue(path: path.string, configuration: configuration)
    }

    package static func isEmpty(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") == 0
    }

    /// SQLite makes its files readable for all; URLs may hold signatures.
    package static func makePrivate(_ path: FilePath) throws {
        try storageCall("open", path) {
            try FileDescriptor.open(
                path, .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite]
            ).close()
        }
    }

    /// What an error of the database at a path means.
    package func explained(_ error: any Error, _ path: FilePath) -> DownloadError {
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
                "\(what) is damaged, or no \(kind)\(text); move it away to begin a new one. \(consolation)",
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
