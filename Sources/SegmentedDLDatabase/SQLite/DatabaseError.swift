internal import CSegSQLite

/// An error reported by SQLite, or a value of an unexpected type.
package struct DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// SQLite's primary result code: the kind of error.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// An error in a statement, such as a missing table.
        package static let statement = Code(rawValue: SQLITE_ERROR)
        /// Another connection did not end its transaction before the busy timeout.
        package static let busy = Code(rawValue: SQLITE_BUSY)
        package static let locked = Code(rawValue: SQLITE_LOCKED)
        package static let permission = Code(rawValue: SQLITE_PERM)
        package static let authorization = Code(rawValue: SQLITE_AUTH)
        package static let readOnly = Code(rawValue: SQLITE_READONLY)
        package static let inputOutput = Code(rawValue: SQLITE_IOERR)
        package static let corrupt = Code(rawValue: SQLITE_CORRUPT)
        package static let notADatabase = Code(rawValue: SQLITE_NOTADB)
        package static let full = Code(rawValue: SQLITE_FULL)
        package static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
        /// A value of an unexpected type.
        package static let mismatch = Code(rawValue: SQLITE_MISMATCH)
        /// An invalid call, such as one on a closed connection.
        package static let misuse = Code(rawValue: SQLITE_MISUSE)
    }

    /// SQLite's extended result code: the primary code with details in the upper bits.
    package let extendedCode: Int32
    /// SQLite's message, such as "database is locked".
    package let message: String
    /// The statement without its values; `nil` if the error concerns the connection.
    package let sql: String?

    package init(_ code: Code, _ message: String, sql: String? = nil) {
        extendedCode = code.rawValue
        self.message = message
        self.sql = sql
    }

    /// The last error of a connection.
    ///
    /// - Parameter connection: `nil` if out of memory.
    init(_ code: Int32, of connection: OpaquePointer?, sql: String? = nil) {
        let detailed = connection.map { sqlite3_extended_errcode($0) } ?? code
        // The connection only stores the code of the last call.
        extendedCode = detailed & 0xff == code & 0xff ? detailed : code
        message =
            if let connection, let text = sqlite3_errmsg(connection) {
                String(cString: text)
            } else {
                String(cString: sqlite3_errstr(code))
            }
        self.sql = sql
    }

    package var code: Code { Code(rawValue: extendedCode & 0xff) }

    /// True if a process was killed during a change without a write-ahead log, and the connection cannot roll
    /// the change back because it is read-only.
    package var isUnfinishedChange: Bool { extendedCode == seg_readonly_rollback }

    /// True if the program may not write, which reading a database with a write-ahead log can require.
    var lacksPermission: Bool { code == .readOnly && !isUnfinishedChange }

    /// True if the file system may lack shared memory, which a write-ahead log needs: the detail is in the
    /// bits above the code (SQLITE_IOERR_SHMOPEN and similar).
    var lacksSharedMemory: Bool {
        if code == .cannotOpen { return true }
        // SHMOPEN, SHMSIZE, SHMLOCK, SHMMAP.
        return code == .inputOutput && [18, 19, 20, 21].contains(extendedCode >> 8)
    }

    package var description: String {
        "\(message) (SQLite error \(extendedCode))" + (sql.map { " in: \($0)" } ?? "")
    }
}
