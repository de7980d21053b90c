internal import Dispatch

/// A database that several threads use, one at a time.
///
/// `@unchecked Sendable`: the database is accessed only on the dispatch queue, and the initializer takes
/// ownership of it.
package final class SharedDatabase: @unchecked Sendable {
    private let database: Database
    private let queue = DispatchQueue(label: "SegmentedDL.database")

    package init(_ database: sending Database) {
        self.database = database
    }

    /// Runs `body` exclusively. `body` must not retain the database.
    package func use<Value>(_ body: (Database) throws -> Value) rethrows -> Value {
        try queue.sync { try body(database) }
    }

    /// Applies all changes of `body` exclusively, or none if it throws.
    ///
    /// - Throws: `DatabaseError`, and the errors of `body`.
    package func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try use { database in try database.transaction { try body(database) } }
    }

    /// Closes the database once all current calls have returned. Later calls throw.
    package func close() {
        use { $0.close() }
    }
}
