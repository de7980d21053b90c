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

    /// Switches to a write-ahead log, and says when it is synced.
    ///
    /// It does so in this order, and reads back what is in force, because otherwise a switch that brings
    /// another setting along (as SQLite can be compiled, and as libraries around it do) would let a power cut
    /// take back transactions that callers were told are stored.
    ///
    /// - Throws: `DatabaseError` with code `inputOutput` if the file system is not fit for a log.
    package func writeAhead(_ synchronization: Synchronization) throws {
        let mode = try first("PRAGMA journal_mode = WAL") { try $0.text(0) }
        guard mode == "wal" else {
            throw DatabaseError(.inputOutput, "the file system is not fit for a write-ahead log")
        }
        try run("PRAGMA synchronous = \(synchronization.rawValue)")
        guard try self.synchronization() == synchronization else {
            throw DatabaseError(.inputOutput, "SQLite does not sync its log as it was told to")
        }
    }

    /// When SQLite waits for the disk; `nil` for a way that this library does not use.
    package func synchronization() throws -> Synchronization? {
        try first("PRAGMA synchronous") { try $0.integer(0) }.flatMap(Synchronization.init)
    }
}
