internal import GRDB

/// The table `download`, with a row for each record of a queue.
enum QueueSchema {
    private static let table = "download"

    /// Tells a queue from other programs' databases: "sgdl".
    static let applicationID: Int32 = 0x7367_646c

    /// Every version's step from the one before. A step that was released is never changed.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.create(table: table, options: .strict) { table in
                // AUTOINCREMENT: a number is never used again.
                table.autoIncrementedPrimaryKey("id")
                table.column("key", .text)
                table.column("url", .text).notNull()
                table.column("directory", .text)
                table.column("file", .text)
                table.column("options", .blob).notNull()
                table.column("priority", .integer).notNull()
                table.column("rank", .integer).notNull()
                table.column("state", .text).notNull()
                table.column("hasBegun", .integer).notNull()
                table.column("startsOver", .integer).notNull()
                table.column("path", .text)
                table.column("part", .text)
                table.column("identity", .blob)
                table.column("replaces", .blob)
                table.column("bytesCompleted", .integer).notNull()
                table.column("bytesTotal", .integer)
                table.column("attempts", .integer).notNull()
                table.column("failures", .integer).notNull()
                table.column("bytesAtFailure", .integer).notNull()
                table.column("seconds", .real).notNull()
                table.column("retriesAt", .real)
                table.column("error", .blob)
                table.column("added", .real).notNull()
                table.column("started", .real)
                table.column("ended", .real)
            }
        }
        return migrator
    }

    static func lastID(_ database: Database) throws -> Int64 {
        try Int64.fetchOne(
            database, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table])
            ?? 0
    }
}
