extension Database {
    /// Makes all changes of `body`, or none if it throws. It waits for its turn at once, as otherwise a
    /// transaction that has read something could find that another connection is writing, and could not wait
    /// for it.
    ///
    /// - Throws: `DatabaseError`, and what `body` throws.
    package func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try run(between: "BEGIN IMMEDIATE", body)
    }

    /// Runs `body`, whose statements all see the database as it is at the first of them.
    ///
    /// - Throws: `DatabaseError`, and what `body` throws.
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
            // The first error says more than one of the way back.
            if !isOutsideTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }
}
