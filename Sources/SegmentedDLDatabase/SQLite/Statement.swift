internal import CSegSQLite

/// A prepared statement, which can be run again with other values.
package final class Statement {
    private let sql: String
    private let connection: OpaquePointer
    private let statement: OpaquePointer
    /// True while its rows are being read.
    private(set) var isRunning = false

    init(_ sql: String, on connection: OpaquePointer) throws(DatabaseError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: connection, sql: sql) }
        guard let prepared else {
            throw DatabaseError(.misuse, "there is no statement in the text", sql: sql)
        }
        self.sql = sql
        self.connection = connection
        statement = prepared
    }

    deinit {
        sqlite3_finalize(statement)
    }

    /// Runs the statement to completion.
    ///
    /// - Parameter values: A value for each parameter.
    package func execute(_ values: [(any Bindable)?] = []) throws(DatabaseError) {
        try begin(values)
        defer { end() }
        while try step() {}
    }

    /// Runs the statement, and `body` with each of its rows.
    ///
    /// - Throws: `DatabaseError`, and the errors of `body`.
    package func forEach(_ values: [(any Bindable)?] = [], _ body: (Row) throws -> Void) throws {
        try begin(values)
        defer { end() }
        while try step() { try body(Row(statement)) }
    }

    /// Runs the statement up to its first row.
    ///
    /// - Returns: The value that `body` returns for the row; `nil` if there is no row.
    /// - Throws: `DatabaseError`, and the errors of `body`.
    package func first<Value>(_ values: [(any Bindable)?] = [], _ body: (Row) throws -> Value) throws
        -> Value?
    {
        try begin(values)
        defer { end() }
        return try step() ? body(Row(statement)) : nil
    }

    private func begin(_ values: [(any Bindable)?]) throws(DatabaseError) {
        guard !isRunning else { throw DatabaseError(.misuse, "the statement is running", sql: sql) }
        guard sqlite3_bind_parameter_count(statement) == values.count else {
            throw DatabaseError(.misuse, "the statement has a different number of parameters", sql: sql)
        }
        isRunning = true
        for (index, value) in zip(Int32(1)..., values) {
            // An unbound parameter is NULL.
            guard let value else { continue }
            let code = value.bind(to: statement, at: index)
            guard code == SQLITE_OK else {
                defer { end() }
                throw DatabaseError(code, of: connection, sql: sql)
            }
        }
    }

    /// - Returns: True if the statement has a current row, false at its end.
    private func step() throws(DatabaseError) -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw DatabaseError(code, of: connection, sql: sql)
        }
    }

    /// Resets the statement for the next run, and drops SQLite's copies of the values. An error of the last
    /// step has already been reported.
    private func end() {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        isRunning = false
    }
}
