extension Database {
    /// Makes all changes of `body`, or none if it throws. It waits for the write lock first, or a transaction
    /// that has read something could find another connection writing, and could not wait for it.
    ///
    /// - Throws: `DatabaseError`, and the errors of `body`.
    package func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try run(between: "BEGIN IMMEDIATE", body)
    }

    /// Runs `body`, whose statements all see the database as of the first of them.
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
            // The first error says more than one of the rollback.
            if !isOutsideTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }
}
