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
