internal import Dispatch

/// A database that several threads use, one at a time.
///
/// `@unchecked Sendable`: the database is touched on the dispatch queue only, and the initializer takes it
/// away from its maker.
package final class SharedDatabase: @unchecked Sendable {
    private let database: Database
    private let queue = DispatchQueue(label: "SegmentedDL.database")

    package init(_ database: sending Database) {
        self.database = database
    }

    /// Waits for its turn, and runs `body`, which must not keep the database.
    package func use<Value>(_ body: (Database) throws -> Value) rethrows -> Value {
        try queue.sync { try body(database) }
    }

    /// Waits for its turn, and makes all changes of `body`, or none if it throws.
    ///
    /// - Throws: `DatabaseError`, and what `body` throws.
    package func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try use { database in try database.transaction { try body(database) } }
    }

    /// Closes it once all calls that are under way have returned. Later calls throw.
    package func close() {
        use { $0.close() }
    }
}
