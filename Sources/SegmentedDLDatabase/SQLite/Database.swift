internal import CSegSQLite
package import SystemPackage

/// A connection to a SQLite database. One thread at a time uses it, as it is not `Sendable`.
package final class Database {
    package enum Access: Sendable {
        /// Makes the file if it is missing.
        case readWrite
        case readOnly
    }

    /// How long a call waits for another connection's transaction.
    package static let busyTimeoutMilliseconds: Int32 = 5_000

    private let open: () throws(DatabaseError) -> OpaquePointer
    /// `nil` once it is closed.
    private var connection: OpaquePointer?
    /// Every statement that was prepared, by its text.
    private var statements: [String: Statement] = [:]

    /// The part of SQLite that works on files without locking them.
    private static let withoutLocks = "unix-none"

    /// - Parameter locks: False where the file system has no locks: nothing keeps another connection out
    ///   then.
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
            // SQLite takes no locks of its own: one thread at a time uses the connection.
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

    /// Closes the connection and opens another one, which has no settings yet.
    func reopen() throws(DatabaseError) {
        close()
        connection = try open()
    }

    deinit {
        close()
    }

    /// Creates an empty private database, which disappears when it is closed. Pages that do not fit into its
    /// cache are in a temporary file.
    package static func temporary() throws(DatabaseError) -> Database { try Database("", .readWrite) }

    /// Closes the connection. Further calls do nothing; all others throw.
    package func close() {
        statements = [:]
        // A statement that a caller still has keeps SQLite's side alive until it goes.
        sqlite3_close_v2(connection)
        connection = nil
    }

    /// Returns the statement of a text, which is prepared once.
    package func statement(_ sql: String) throws(DatabaseError) -> Statement {
        // One whose rows are being read cannot begin again.
        if let statement = statements[sql], !statement.isRunning { return statement }
        let statement = try Statement(sql, on: handle())
        statements[sql] = statement
        return statement
    }

    /// Runs a statement to its end.
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
    /// - Throws: `DatabaseError`, and what `body` throws.
    package func forEach(
        _ sql: String, _ values: [(any Bindable)?] = [], _ body: (Row) throws -> Void
    ) throws {
        try statement(sql).forEach(values, body)
    }

    /// Runs a statement up to its first row.
    ///
    /// - Returns: The value that `body` makes of the row; `nil` if there is none.
    /// - Throws: `DatabaseError`, and what `body` throws.
    package func first<Value>(
        _ sql: String, _ values: [(any Bindable)?] = [], _ body: (Row) throws -> Value
    ) throws -> Value? {
        try statement(sql).first(values, body)
    }

    /// Returns all rows of a statement, each as the value that `body` makes of it.
    ///
    /// - Throws: `DatabaseError`, and what `body` throws.
    package func all<Value>(
        _ sql: String, _ values: [(any Bindable)?] = [], _ body: (Row) throws -> Value
    ) throws -> [Value] {
        var found: [Value] = []
        try forEach(sql, values) { found.append(try body($0)) }
        return found
    }

    /// How many rows the last INSERT, UPDATE or DELETE has changed.
    package var changedRows: Int { connection.map { Int(sqlite3_changes($0)) } ?? 0 }

    /// The number of the row that was inserted last.
    package var lastInsertedRow: Int64 { connection.map { sqlite3_last_insert_rowid($0) } ?? 0 }

    /// True outside of a transaction. SQLite itself ends one after some errors, as a full disk.
    var isOutsideTransaction: Bool { connection.map { sqlite3_get_autocommit($0) != 0 } ?? true }

    /// - Throws: `DatabaseError` with code `misuse` if the connection is closed.
    func handle() throws(DatabaseError) -> OpaquePointer {
        guard let connection else { throw DatabaseError(.misuse, "the connection is closed") }
        return connection
    }
}
