extension Database {
    /// The points at which SQLite waits for the disk (PRAGMA synchronous).
    package enum Synchronization: Int64, Sendable {
        /// Never. A power cut can damage the database.
        case off = 0
        /// When the log is written back. A power cut can lose the last transactions.
        case normal = 1
        /// At the end of each transaction. A power cut loses nothing.
        case full = 2
    }

    /// Switches to a write-ahead log, and sets when it is synced. If the file system lacks shared memory,
    /// which the log needs, the database uses a rollback journal.
    ///
    /// The order matters, and the result is read back: switching may change the other setting (depending on
    /// how SQLite was compiled, and on libraries around it), and a power cut could then lose transactions
    /// that callers believe to be stored.
    ///
    /// - Throws: `DatabaseError` with code `inputOutput` if SQLite does not sync as requested.
    package func writeAhead(_ synchronization: Synchronization) throws {
        if try !usesLog() { try useJournal() }
        try run("PRAGMA synchronous = \(synchronization.rawValue)")
        guard try self.synchronization() == synchronization else {
            throw DatabaseError(.inputOutput, "SQLite ignores the setting for syncing its log")
        }
    }

    /// - Returns: False if the file system does not support a write-ahead log.
    private func usesLog() throws -> Bool {
        do {
            guard try first("PRAGMA journal_mode = WAL", [], { try $0.text(0) }) == "wal" else {
                return false
            }
            // The shared memory is used only on access.
            _ = try first("SELECT COUNT(*) FROM sqlite_master") { try $0.integer(0) }
            return true
        } catch let error as DatabaseError where error.lacksSharedMemory {
            return false
        }
    }

    /// Merges an existing write-ahead log into the database, which needs no shared memory while this
    /// connection is the only one.
    func useJournal() throws {
        // A connection that has tried to use shared memory once does so every time.
        try reopen()
        _ = try first("PRAGMA locking_mode = EXCLUSIVE") { try $0.text(0) }
        _ = try first("PRAGMA journal_mode = DELETE") { try $0.text(0) }
        _ = try first("PRAGMA locking_mode = NORMAL") { try $0.text(0) }
        // Releases the lock.
        _ = try first("SELECT COUNT(*) FROM sqlite_master") { try $0.integer(0) }
    }

    /// When SQLite waits for the disk; `nil` for modes not used by this library.
    package func synchronization() throws -> Synchronization? {
        try first("PRAGMA synchronous") { try $0.integer(0) }.flatMap(Synchronization.init)
    }
}
