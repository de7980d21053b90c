extension Database {
    /// When SQLite waits for the disk (PRAGMA synchronous). None of them damages the database.
    package enum Synchronization: Int64, Sendable {
        /// Never. A power cut can damage the database.
        case off = 0
        /// When the log is written back. A power cut takes back the last transactions.
        case normal = 1
        /// At the end of each transaction. A power cut takes nothing back.
        case full = 2
    }

    /// Switches to a write-ahead log, and says when it is synced. Where the file system has no memory that
    /// processes can share, which the log needs, the database gets a rollback journal.
    ///
    /// It does so in this order, and reads back what is in force, because otherwise a switch that brings
    /// another setting along (as SQLite can be compiled, and as libraries around it do) would let a power cut
    /// take back transactions that callers were told are stored.
    ///
    /// - Throws: `DatabaseError` with code `inputOutput` if SQLite does not sync as it was told to.
    package func writeAhead(_ synchronization: Synchronization) throws {
        if try !usesLog() { try useJournal() }
        try run("PRAGMA synchronous = \(synchronization.rawValue)")
        guard try self.synchronization() == synchronization else {
            throw DatabaseError(.inputOutput, "SQLite does not sync its log as it was told to")
        }
    }

    /// - Returns: False if the file system is not fit for a write-ahead log.
    private func usesLog() throws -> Bool {
        do {
            guard try first("PRAGMA journal_mode = WAL", [], { try $0.text(0) }) == "wal" else {
                return false
            }
            // Only an access uses the shared memory.
            _ = try first("SELECT COUNT(*) FROM sqlite_master") { try $0.integer(0) }
            return true
        } catch let error as DatabaseError where error.lacksSharedMemory {
            return false
        }
    }

    /// Takes a write-ahead log that there is back into the database, for which this connection needs no
    /// shared memory while it is the only one.
    func useJournal() throws {
        // A connection that has looked for shared memory once does so each time.
        try reopen()
        _ = try first("PRAGMA locking_mode = EXCLUSIVE") { try $0.text(0) }
        _ = try first("PRAGMA journal_mode = DELETE") { try $0.text(0) }
        _ = try first("PRAGMA locking_mode = NORMAL") { try $0.text(0) }
        // Drops the lock.
        _ = try first("SELECT COUNT(*) FROM sqlite_master") { try $0.integer(0) }
    }

    /// When SQLite waits for the disk; `nil` for a way that this library does not use.
    package func synchronization() throws -> Synchronization? {
        try first("PRAGMA synchronous") { try $0.integer(0) }.flatMap(Synchronization.init)
    }
}
