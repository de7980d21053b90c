internal import CSegSQLite

/// A statement's current row. It is valid until the body that received it returns.
///
/// Columns are identified by their numbers, from 0, because looking them up by name takes as long as reading
/// them.
package struct Row {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    package func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }

    /// - Throws: `DatabaseError` with code `mismatch` if the column is not an integer.
    package func integer(_ column: Int) throws(DatabaseError) -> Int64 {
        guard type(column) == SQLITE_INTEGER else { throw mismatch(column, "an integer") }
        return sqlite3_column_int64(statement, Int32(column))
    }

    /// - Throws: `DatabaseError` with code `mismatch` if the column is not an integer.
    package func bool(_ column: Int) throws(DatabaseError) -> Bool { try integer(column) != 0 }

    /// - Throws: `DatabaseError` with code `mismatch` if the column is not a number.
    package func real(_ column: Int) throws(DatabaseError) -> Double {
        switch type(column) {
        case SQLITE_FLOAT, SQLITE_INTEGER: return sqlite3_column_double(statement, Int32(column))
        default: throw mismatch(column, "a number")
        }
    }

    /// - Throws: `DatabaseError` with code `mismatch` if the column is not text.
    package func text(_ column: Int) throws(DatabaseError) -> String {
        guard type(column) == SQLITE_TEXT else { throw mismatch(column, "text") }
        // Get the pointer first: SQLite may convert the value, and counts its bytes afterwards.
        let start = sqlite3_column_text(statement, Int32(column))
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return String(
            decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    }

    /// Returns the bytes of a blob or text.
    ///
    /// - Throws: `DatabaseError` with code `mismatch` if the column is neither.
    package func bytes(_ column: Int) throws(DatabaseError) -> [UInt8] {
        switch type(column) {
        case SQLITE_BLOB, SQLITE_TEXT: break
        default: throw mismatch(column, "a blob")
        }
        let start = sqlite3_column_blob(statement, Int32(column))
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// - Returns: `nil` for NULL.
    /// - Throws: The errors of `integer`.
    package func optionalInteger(_ column: Int) throws(DatabaseError) -> Int64? {
        isNull(column) ? nil : try integer(column)
    }

    /// - Returns: `nil` for NULL.
    /// - Throws: The errors of `real`.
    package func optionalReal(_ column: Int) throws(DatabaseError) -> Double? {
        isNull(column) ? nil : try real(column)
    }

    /// - Returns: `nil` for NULL.
    /// - Throws: The errors of `text`.
    package func optionalText(_ column: Int) throws(DatabaseError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    /// - Returns: `nil` for NULL.
    /// - Throws: The errors of `bytes`.
    package func optionalBytes(_ column: Int) throws(DatabaseError) -> [UInt8]? {
        isNull(column) ? nil : try bytes(column)
    }

    private func type(_ column: Int) -> Int32 { sqlite3_column_type(statement, Int32(column)) }

    private func mismatch(_ column: Int, _ expected: String) -> DatabaseError {
        let name = sqlite3_column_name(statement, Int32(column)).map { String(cString: $0) } ?? "\(column)"
        return DatabaseError(
            .mismatch, "column \(name) is not \(expected)",
            sql: sqlite3_sql(statement).map { String(cString: $0) })
    }
}
