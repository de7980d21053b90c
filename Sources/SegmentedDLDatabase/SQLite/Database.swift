internal import CSegSQLite
package import SystemPackage

/// A connection to a SQLite database. Not `Sendable`: used by one thread at a time.
package final class Database {
    package enum Access: Sendable {
        /// Creates a missing file.
        case readWrite
        /// Fails if the file is missing.
        case change
        case readOnly
        /// Reads a file that no program changes, without creating files beside it, and without its
        /// write-ahead log.
        case immutable
    }

    /// How long to wait for another connection's transaction.
    package static let busyTimeoutMilliseconds: Int32 = 5_000

    private let open: () throws(DatabaseError) -> OpaquePointer
    /// `nil` once it is closed.
    private var connection: OpaquePointer?
    /// All prepared statements by text.
    private var statements: [String: Statement] = [:]

    /// SQLite's file system layer (VFS) without locks.
    private static let withoutLocks = "unix-none"

    /// - Parameter locks: False if the file system has no locks: other connections are then not excluded.
    package init(
        _ path: FilePath, _ access: Access, locks: Bool = true,
        busyTimeoutMilliseconds: Int32 = busyTimeoutMilliseconds
    ) throws(DatabaseError) {
        let flags =
            switch access {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .change: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = access == .immutable ? Self.immutableName(of: path) : path
        open = { () throws(DatabaseError) in
            var opened: OpaquePointer?
            // SQLite needs no mutexes, because only one thread at a time uses the connection.
            let code = name.withPlatformString {
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

    /// Returns SQLite's URI for an immutable file.
    private static func immutableName(of path: FilePath) -> FilePath {
        let literal = Set("/-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        let text = path.string.utf8.map { byte in
            literal.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return FilePath("file:" + text.joined() + "?immutable=1")
    }

    /// Closes the connection and opens a new one with default settings.
    func reopen() throws(DatabaseError) {
        close()
        connection = try open()
    }

    deinit {
        close()
    }

    /// Creates an empty private database, which disappears when it is closed. Pages that do not fit in its
    /// cache are stored in a temporary file.
    package static func temporary() throws(DatabaseError) -> Database { try Database("", .readWrite) }

    /// Closes the connection. Calling this again has no effect; all other calls throw.
    package func close() {
        statements = [:]
        // SQLite keeps the connection alive while a caller still holds a statement.
        sqlite3_close_v2(connection)
        connection = nil
    }

    /// Returns the prepared statement for a text, from a cache.
    package func statement(_ sql: String) throws(DatabaseError) -> Statement {
        // A statement whose rows are being read cannot be restarted.
        if let statement = statements[sql], !statement.isRunning { return statement }
        let statement = try Statement(sql, on: handle())
        statements[sql] = statement
        return statement
    }

    /// Runs a statement to completion.
    package func execute(_ sql: String, _ values: [(any Bindable)?] = []) throws(DatabaseError) {
        try statement(sql).execute(values)
    }

    /// Runs all statements in a text, which must have no parameters.
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
    /// - Returns: The value that `body` returns for the row; `nil` if there is no row.
    /// - Throws: `DatabaseError`, and the errors of `body`.
    package func first<Value>(
        _ sql: String, _ values: [(any Bindable)?] = [], _ body: (Row) throws -> Value
    ) throws -> Value? {
        try statement(sql).first(values, body)
    }

    /// Returns all rows of a statement, each converted by `body`.
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

    /// True outside of a transaction. SQLite itself ends a transaction after some errors, such as a full
    /// disk.
    var isOutsideTransaction: Bool { connection.map { sqlite3_get_autocommit($0) != 0 } ?? true }

    /// - Throws: `DatabaseError` with code `misuse` if the connection is closed.
    func handle() throws(DatabaseError) -> OpaquePointer {
        guard let connection else { throw DatabaseError(.misuse, "the connection is closed") }
        return connection
    }
}

extension Database {
    /// Replaces the content of another database with a copy of this one.
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

extension Database {
    /// Applies all changes of `body`, or none if it throws. Waits for the write lock first, because a
    /// transaction that has already read something could not wait if another connection is writing.
    ///
    /// - Throws: `DatabaseError`, and the errors of `body`.
    package func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try run(between: "BEGIN IMMEDIATE", body)
    }

    /// Runs `body`, whose statements all see the database in the state of the first one.
    ///
    /// - Throws: `DatabaseError`, and the errors of `body`.
    package func snapshot<Value>(_ body: () throws -> Value) throws -> Value {
        try run(between: "BEGIN", body)
    }

    private func run<Value>(between begin: String, _ body: () throws -> Value) throws -> Value {
        try execute(begin)
        do {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            // The first error is more informative than that of the rollback.
            if !isOutsideTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }
}
