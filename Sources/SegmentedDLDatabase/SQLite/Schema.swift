/// The tables of a kind of database, and their migrations from earlier versions.
package struct Schema: Sendable {
    /// The table of a database's past versions. Its name comes from the library used in 0.1.0, whose
    /// databases contain it.
    private static let versionTable = "grdb_migrations"

    /// Distinguishes the databases from those of other programs.
    package let applicationID: Int32
    /// For each version, the script that migrates from the previous one. A released script is never changed.
    package let versions: [String]

    package init(applicationID: Int32, versions: [String]) {
        self.applicationID = applicationID
        self.versions = versions
    }

    /// Migrates a database to the last version, in one transaction for each version.
    ///
    /// For a new database, the application ID, the table of versions and the first version are written in one
    /// transaction; otherwise a kill in between would leave a file that looks like another program's.
    package func update(_ database: Database) throws {
        let known = try identifiers(in: database)
        for (number, script) in zip(1..., versions) where !known.contains("\(number)") {
            try database.transaction {
                try database.run(
                    """
                    PRAGMA application_id = \(applicationID);
                    CREATE TABLE IF NOT EXISTS \(Self.versionTable) (identifier TEXT NOT NULL PRIMARY KEY);
                    """)
                try database.run(script)
                try database.execute("INSERT INTO \(Self.versionTable) VALUES (?)", ["\(number)"])
            }
        }
    }

    /// Returns true if a later version of the program has migrated the database.
    package func isOlder(than database: Database) throws -> Bool {
        let own = Set((1...versions.count).map(String.init))
        return try !identifiers(in: database).isSubset(of: own)
    }

    /// Returns true if a database is of this kind, or empty.
    package func fits(_ database: Database) throws -> Bool {
        if try isBlank(database) { return true }
        return try database.first("PRAGMA application_id") { try $0.integer(0) } == Int64(applicationID)
    }

    /// Returns true if a database has no tables, or only an empty table of versions, as left by version 0.1.0
    /// if it was killed right after its start.
    package func isBlank(_ database: Database) throws -> Bool {
        let others = try database.first(
            "SELECT COUNT(*) FROM sqlite_master WHERE tbl_name <> ?", [Self.versionTable]
        ) { try $0.integer(0) }
        return try others == 0 && identifiers(in: database).isEmpty
    }

    /// The past versions of a database.
    private func identifiers(in database: Database) throws -> Set<String> {
        let isThere = try database.first(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [Self.versionTable]
        ) { _ in true }
        guard isThere == true else { return [] }
        return Set(
            try database.all("SELECT identifier FROM \(Self.versionTable)") { try $0.text(0) })
    }
}
