internal import GRDB
import SegmentedDLDatabase

/// The tables of a mirror's database.
enum MirrorSchema {
    /// Tells it from other programs' databases: "sgmr".
    static let applicationID: Int32 = 0x7367_6d72

    static let file = DatabaseFile(
        noun: "The mirror's state", kind: "mirror's state", applicationID: applicationID,
        consolation: "Files that are there are then compared with the server's anew.", size: .large,
        migrator: { migrator })

    /// Every version's step from the one before. A step that was released is never changed.
    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            // One row: the run that goes on, or the last one.
            try database.create(table: "run", options: .strict) { table in
                table.primaryKey("id", .integer)
                table.column("source", .text).notNull()
                table.column("pass", .integer).notNull()
                table.column("touched", .integer).notNull()
                table.column("isListed", .integer).notNull()
                table.column("isEnded", .integer).notNull()
                table.column("root", .text)
                table.column("token", .text)
            }
            // The directories of this run; the start's path is empty.
            try database.create(table: "directory", options: [.strict, .withoutRowID]) { table in
                table.primaryKey("path", .text)
                table.column("url", .text).notNull()
                table.column("isListed", .integer).notNull()
            }
            // What this run's listings have that cannot be used.
            try database.create(table: "problem", options: .strict) { table in
                table.column("directory", .text).notNull()
                table.column("place", .text).notNull()
                table.column("path", .text)
                table.column("code", .integer)
                table.column("reason", .text).notNull()
            }
            try createFiles(database)
            // What the last proof is, to tell it from a file of someone else.
            try database.create(table: "proof", options: [.strict, .withoutRowID]) { table in
                table.primaryKey("path", .text)
                table.column("inode", .integer).notNull()
                table.column("size", .integer).notNull()
                table.column("modified", .integer).notNull()
            }
        }
        migrator.registerMigration("2") { database in
            // What waits was kept in another form: the next run lists it anew.
            try database.execute(sql: "UPDATE run SET isEnded = 1")
        }
        migrator.registerMigration("3") { database in
            // The run that the last proof is of, and how many files it has.
            try database.alter(table: "proof") { table in
                table.add(column: "run", .integer)
                table.add(column: "files", .integer)
            }
        }
        return migrator
    }

    private static func createFiles(_ database: Database) throws {
        try database.create(table: "file", options: .strict) { table in
            table.primaryKey("id", .integer)
            table.column("path", .text).notNull().unique()
            // The last run that has listed it, and which of its starts.
            table.column("run", .integer).notNull()
            table.column("pass", .integer).notNull()
            // Its place among those that wait in this run; null once it is there.
            table.column("turn", .integer)
            table.column("item", .blob)
            // What is on the disk; null if nothing of ours is.
            table.column("url", .text)
            table.column("size", .integer)
            table.column("sha256", .text)
            table.column("digest", .text)
            table.column("etag", .text)
            table.column("lastModified", .text)
            table.column("inode", .integer)
            table.column("modified", .integer)
            table.column("boot", .text)
            table.column("checked", .integer)
        }
        try database.create(
            index: "waiting", on: "file", columns: ["turn"], condition: Column("turn") != nil)
    }
}
