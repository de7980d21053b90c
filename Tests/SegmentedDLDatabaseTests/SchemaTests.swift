import TestSupport
import Testing

@testable import SegmentedDLDatabase

@Suite("The schema of a database")
struct SchemaTests {
    private let database: Database
    private let directory: ScratchDirectory

    private static let versions = [
        "CREATE TABLE thing (name TEXT NOT NULL)", "ALTER TABLE thing ADD COLUMN size INTEGER",
    ]

    init() throws {
        directory = try ScratchDirectory()
        database = try Database(directory.file("data"), .readWrite)
    }

    private func schema(_ versions: [String] = versions) -> Schema {
        Schema(applicationID: 77, versions: versions)
    }

    private func owner() throws -> Int64? {
        try database.first("PRAGMA application_id") { try $0.integer(0) }
    }

    private var versions: [String] {
        get throws { try database.all("SELECT identifier FROM grdb_migrations") { try $0.text(0) } }
    }

    @Test("is created in a new database, and left alone in an existing one")
    func new() throws {
        #expect(try schema().isBlank(database))
        for _ in 0..<2 {
            try schema().update(database)
            #expect(try versions == ["1", "2"])
            #expect(try owner() == 77)
            #expect(try schema().fits(database))
            #expect(try !schema().isBlank(database))
            #expect(try !schema().isOlder(than: database))
        }
        try database.execute("INSERT INTO thing VALUES ('a', 1)")
    }

    @Test("of an earlier version is updated, and a later one is reported")
    func versionsInOrder() throws {
        try schema(Array(Self.versions.prefix(1))).update(database)
        try database.execute("INSERT INTO thing VALUES ('a')")
        #expect(try schema().fits(database))
        try schema().update(database)
        #expect(try versions == ["1", "2"])
        #expect(try database.first("SELECT size FROM thing") { $0.isNull(0) } == true)
        #expect(try schema(Array(Self.versions.prefix(1))).isOlder(than: database))
    }

    @Test("is created completely or not at all")
    func failing() throws {
        #expect(throws: DatabaseError.self) {
            try schema([Self.versions[0] + "; SELECT * FROM missing"]).update(database)
        }
        #expect(try schema().isBlank(database))
        #expect(try owner() == 0)
        // A later version leaves the earlier one.
        #expect(throws: DatabaseError.self) {
            try schema([Self.versions[0], "CREATE TABLE other (x); SELECT * FROM missing"]).update(database)
        }
        #expect(try versions == ["1"])
        #expect(try owner() == 77)
        try schema().update(database)
    }

    @Test("does not fit another program's tables")
    func foreign() throws {
        try database.run("CREATE TABLE theirs (x)")
        #expect(try !schema().fits(database))
        try database.run("PRAGMA application_id = 77")
        #expect(try schema().fits(database))
    }

    @Test("that 0.1.0 began to create before a kill counts as missing")
    func killedAtFirst() throws {
        try database.run("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        #expect(try schema().fits(database))
        #expect(try schema().isBlank(database))
        try schema().update(database)
        #expect(try owner() == 77)
        #expect(try versions == ["1", "2"])
    }
}
