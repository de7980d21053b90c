internal import CSegSQLite
package import SystemPackage

/// A connection to a SQLite database. Not `Sendable`: one thread at a time uses it.
package final class Database {
    package enum Access: Sendable {
        /// Creates a missing file.
        case readWrite
        case readOnly
    }

    /// The timeout for another connection's transaction.
    package static let busyTimeoutMilliseconds: Int32 = 5_000

    private let open: () throws(DatabaseError) -> OpaquePointer
    /// `nil` once it is closed.
    private var connection: OpaquePointer?
    /// Every prepared statement, by its text.
    private var statements: [String: Statement] = [:]

    /// SQLite's file system layer (VFS) without locks.
    private static let withoutLocks = "unix-none"

    /// - Parameter locks: False if the file system has no locks: other connections are not kept out then.
    package init(
        _ path: FilePath, _ access: Access, locks: Bool = true,
        busyTimeoutMilliseconds: Int32 = busyTimeoutMilliseconds
    ) throws(DatabaseError) {
        let flags =
            switch access {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        open = { () throws(DatabaseError) in
            var opened: OpaquePointer?
            // SQLite needs no mutexes: one thread at a time uses the connection.
            let code = path.withPlatformString {
                sqlite3_open_v2(
                    $0, &opened, flags | SQLITE_OPEN_NOMUTEX, locks ? nil : Self.withoutLocks)
            }
            guard code == SQLITE_OK, let opened else {
                defer { sqlite3_close(opened) }
                throw DatabaseError(code, of: opened)
            }
            sqlite3_extended_result_codes(opened, 1)
            sqlite3_busy_timeout(opened, busyTimeoutMilliseconds)
            return opened
        }
        connection = try open()
    }

    /// Closes the connection and opens a new one without settings.
    func reopen() throws(DatabaseError) {
        close()
        connection = try open()
    }

    deinit {
        close()
    }

    /// Creates an empty private database, which disappears when it is closed. Pages beyond its cache are in a
    /// temporary file.
    package static func temporary() throws(DatabaseError) -> Database { try Database("", .readWrite) }

    /// Closes the connection. Further calls of this do nothing; all others throw.
    package func close() {
        statements = [:]
        // A statement that a caller still holds keeps SQLite's side alive.
        sqlite3_close_v2(connection)
        connection = nil
    }

    /// Returns the statement of a text, which is prepared once.
    package func statement(_ sql: String) throws(DatabaseError) -> Statement {
        // A statement whose rows are being read cannot start again.
        if let statement = statements[sql], !statement.isRunning { return statement }
        let statement = try Statement(sql, on: handle())
        statements[sql] = statement
        return statement
    }

    /// Runs a statement to completion.
    package func execute(_ sql: String, _ values: [(any Bindable)?] = []) throws(DatabaseError) {
        try statement(sql).execute(values)
    }

    /// Runs all statements of a text, which have no parameters.
    package func run(_ script: String) throws(DatabaseError) {
        let connection = try handle()
        let code = sqlite3_exec(connection, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: connection, sql: script) }
    }

    /// Runs a statement, and `body` with each of its rows.
    ///
    /// - Throws: `DatabaseError`, and the errors of `body`.
    package func forEach(
        _ sql: String, _ values: [(any Bindable)?] = [], _ body: (Row) throws -> Void
    ) throws {
        try statement(sql).forEach(values, body)
    }

    /// Runs a statement up to its first row.
    ///
    /// - Returns: The value that `body` makes of the row; `nil` if no row exists.
    /// - Throws: `DatabaseError`, and the errors of `body`.
    package func first<Value>(
        _ sql: String, _ values: [(any Bindable)?] = [], _ body: (Row) throws -> Value
    ) throws -> Value? {
        try statement(sql).first(values, body)
    }

    /// Returns all rows of a statement, each as the value that `body` makes of it.
    ///
    /// - Throws: `DatabaseError`, and the errors of `body`.
    package func all<Value>(
        _ sql: String, _ values: [(any Bindable)?] = [], _ body: (Row) throws -> Value
    ) throws -> [Value] {
        var found: [Value] = []
        try forEach(sql, values) { found.append(try body($0)) }
        return found
    }

    /// The number of rows changed by the last INSERT, UPDATE or DELETE.
    package var changedRows: Int { connection.map { Int(sqlite3_changes($0)) } ?? 0 }

    /// True outside of a transaction. SQLite itself ends one after some errors, such as a full disk.
    var isOutsideTransaction: Bool { connection.map { sqlite3_get_autocommit($0) != 0 } ?? true }

    /// - Throws: `DatabaseError` with code `misuse` if the connection is closed.
    func handle() throws(DatabaseError) -> OpaquePointer {
        guard let connection else { throw DatabaseError(.misuse, "the connection is closed") }
        return connection
    }
}

extension Database {
    /// Makes another database a copy of this one.
    package func copy(to other: Database) throws(DatabaseError) {
        let (source, destination) = (try handle(), try other.handle())
        guard let backup = sqlite3_backup_init(destination, "main", source, "main") else {
            throw DatabaseError(sqlite3_errcode(destination), of: destination)
        }
        let code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw DatabaseError(code, of: destination) }
    }
}
