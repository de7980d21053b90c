import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDLDatabase

@Suite("A connection to SQLite")
struct DatabaseTests {
    private let directory: ScratchDirectory
    private let database: Database

    private struct Failure: Error {}

    init() throws {
        directory = try ScratchDirectory()
        database = try Database(directory.file("data"), .readWrite)
        try database.run("CREATE TABLE thing (id INTEGER PRIMARY KEY AUTOINCREMENT, value)")
    }

    private func count(_ database: Database) throws -> Int64? {
        try database.first("SELECT COUNT(*) FROM thing") { try $0.integer(0) }
    }

    @Test("returns every value as it was bound")
    func values() throws {
        func back(_ value: (any Bindable)?, _ check: (Row) throws -> Bool) throws -> Bool {
            try database.first("SELECT ?", [value], check) ?? false
        }
        for number in [Int64.min, -1, 0, 1, .max] {
            #expect(try back(number) { try $0.integer(0) == number })
        }
        #expect(try back(7) { try $0.integer(0) == 7 })
        #expect(try back(Int32(-7)) { try $0.integer(0) == -7 })
        #expect(try back(true) { try $0.bool(0) })
        #expect(try back(false) { try !$0.bool(0) })
        #expect(try back(0.1) { try $0.real(0) == 0.1 })
        #expect(try back(3) { try $0.real(0) == 3 })
        for text in ["", "naïve 🐟", "a\0b", String(repeating: "x", count: 100_000)] {
            #expect(try back(text) { try $0.text(0) == text })
        }
        for bytes: [UInt8] in [[], [0, 255, 10]] {
            #expect(try back(bytes) { try $0.bytes(0) == bytes })
        }
        #expect(try back("as bytes") { try $0.bytes(0) == Array("as bytes".utf8) })
        #expect(try back(nil) { $0.isNull(0) })
        #expect(try back(nil) { try $0.optionalInteger(0) == nil && $0.optionalReal(0) == nil })
        #expect(try back(nil) { try $0.optionalText(0) == nil && $0.optionalBytes(0) == nil })
    }

    @Test("refuses a value of another type, and names the column")
    func mismatch() throws {
        let attempts: [(Row) throws -> Void] = [
            { _ = try $0.integer(0) }, { _ = try $0.real(0) }, { _ = try $0.optionalInteger(0) },
            { _ = try $0.text(1) }, { _ = try $0.bytes(1) }, { _ = try $0.text(2) },
        ]
        for attempt in attempts {
            let error = #expect(throws: DatabaseError.self) {
                try database.first("SELECT 'text' AS name, 1 AS number, NULL AS absent", [], attempt)
            }
            #expect(error?.code == .mismatch)
        }
        let error = #expect(throws: DatabaseError.self) {
            try database.first("SELECT 'secret' AS name") { try $0.integer(0) }
        }
        #expect(error?.message == "column name is not an integer")
    }

    @Test("inserts, changes and counts rows")
    func rows() throws {
        for number in 1...3 { try database.execute("INSERT INTO thing (value) VALUES (?)", [number * 10]) }
        #expect(database.changedRows == 1)
        try database.execute("UPDATE thing SET value = 0 WHERE value > ?", [10])
        #expect(database.changedRows == 2)
        let all = try database.all("SELECT id, value FROM thing ORDER BY id") { row in
            [try row.integer(0), try row.integer(1)]
        }
        #expect(all == [[1, 10], [2, 0], [3, 0]])
        #expect(try database.first("SELECT id FROM thing WHERE id = 9") { try $0.integer(0) } == nil)
    }

    @Test("runs a statement recursively")
    func nested() throws {
        for number in 1...3 { try database.execute("INSERT INTO thing (value) VALUES (?)", [number]) }
        var pairs = 0
        try database.forEach("SELECT value FROM thing") { _ in
            try database.forEach("SELECT value FROM thing") { _ in pairs += 1 }
        }
        #expect(pairs == 9)
        let statement = try database.statement("SELECT 1")
        try statement.forEach { _ in
            #expect(throws: DatabaseError.self) { try statement.execute() }
        }
        try statement.execute()
    }

    @Test("is usable after a failed statement")
    func failedStatement() throws {
        let insert = try database.statement("INSERT INTO thing (id, value) VALUES (?, ?)")
        try insert.execute([1, "a"])
        let error = #expect(throws: DatabaseError.self) { try insert.execute([1, "b"]) }
        #expect(error?.code.rawValue == 19)
        #expect(error?.extendedCode == 1555)
        // The text of the statement, and none of its values.
        #expect(error?.sql == "INSERT INTO thing (id, value) VALUES (?, ?)")
        try insert.execute([2, "c"])
        #expect(throws: Failure.self) {
            try database.forEach("SELECT * FROM thing") { _ in throw Failure() }
        }
        #expect(try count(database) == 2)
    }

    @Test("describes the error of a statement")
    func wrongStatements() throws {
        let wrong = [
            ("SELECT * FROM missing", [], DatabaseError.Code.statement), ("SELEC 1", [], .statement),
            ("SELECT ?", [], .misuse), ("SELECT 1", [1], .misuse), ("", [], .misuse),
        ]
        for (sql, values, code) in wrong {
            let error = #expect(throws: DatabaseError.self) { try database.execute(sql, values) }
            #expect(error?.code == code, "\(sql)")
        }
        let error = #expect(throws: DatabaseError.self) {
            try database.run("SELECT 1; SELECT * FROM missing")
        }
        #expect(error?.message == "no such table: missing")
        #expect(error?.description.contains("SQLite error 1") == true)
    }

    @Test("commits all changes of a transaction, or none")
    func transactions() throws {
        let value = try database.transaction {
            try database.execute("INSERT INTO thing (value) VALUES (1)")
            return "done"
        }
        #expect(value == "done")
        #expect(throws: Failure.self) {
            try database.transaction {
                try database.execute("DELETE FROM thing")
                throw Failure()
            }
        }
        #expect(try count(database) == 1)
        // One that SQLite itself has ended.
        #expect(throws: Failure.self) {
            try database.transaction {
                try database.run("ROLLBACK")
                throw Failure()
            }
        }
        #expect(try count(database) == 1)
    }

    @Test("sees a consistent snapshot of the database")
    func snapshot() throws {
        try database.writeAhead(.normal)
        let other = try Database(directory.file("data"), .readWrite)
        try database.snapshot {
            #expect(try count(database) == 0)
            try other.execute("INSERT INTO thing (value) VALUES (1)")
            #expect(try count(database) == 0)
        }
        #expect(try count(database) == 1)
    }

    @Test("syncs its log as configured, after the switch to it", arguments: [0, 1, 2] as [Int64])
    func synchronization(level: Int64) throws {
        let wanted = try #require(Database.Synchronization(rawValue: level))
        try database.writeAhead(wanted)
        #expect(try database.synchronization() == wanted)
        #expect(try database.first("PRAGMA journal_mode") { try $0.text(0) } == "wal")
        // A second switch is none.
        try database.writeAhead(wanted)
        #expect(try database.synchronization() == wanted)
    }

    @Test("cannot write to a database opened for reading")
    func readOnly() throws {
        let reader = try Database(directory.file("data"), .readOnly)
        #expect(try count(reader) == 0)
        let error = #expect(throws: DatabaseError.self) { try reader.execute("DELETE FROM thing") }
        #expect(error?.code == .readOnly)
        let missing = #expect(throws: DatabaseError.self) {
            try Database(directory.file("missing"), .readOnly).execute("SELECT 1")
        }
        #expect(missing?.code == .cannotOpen)
    }

    @Test("waits for another connection's transaction only until a timeout")
    func busy() throws {
        let other = try Database(directory.file("data"), .readWrite, busyTimeoutMilliseconds: 10)
        try database.transaction {
            let error = #expect(throws: DatabaseError.self) { try other.transaction {} }
            #expect(error?.code == .busy)
        }
        try other.transaction {}
    }

    @Test("distinguishes a file that is not a database from a damaged one")
    func notADatabase() throws {
        try directory.write(Array(repeating: 7, count: 9000), to: "noise")
        let noise = try Database(directory.file("noise"), .readOnly)
        let error = #expect(throws: DatabaseError.self) { try noise.execute("SELECT * FROM sqlite_master") }
        #expect(error?.code == .notADatabase)
        database.close()
        var bytes = try directory.read("data")
        bytes.replaceSubrange(100..<140, with: repeatElement(0xff, count: 40))
        try directory.write(bytes, to: "damaged")
        let damaged = try Database(directory.file("damaged"), .readOnly)
        let other = #expect(throws: DatabaseError.self) { try damaged.execute("SELECT * FROM sqlite_master") }
        #expect(other?.code == .corrupt)
    }

    @Test("throws once it is closed, and leaves no log")
    func closed() throws {
        try database.writeAhead(.full)
        try database.execute("INSERT INTO thing (value) VALUES (1)")
        database.close()
        database.close()
        let error = #expect(throws: DatabaseError.self) { try count(database) }
        #expect(error?.code == .misuse)
        #expect(try directory.names() == ["data"])
    }

    @Test("is copied including its log")
    func copy() throws {
        try database.writeAhead(.normal)
        try database.execute("INSERT INTO thing (value) VALUES (1)")
        let copy = try Database.temporary()
        try Database(directory.file("data"), .readOnly).copy(to: copy)
        try copy.execute("INSERT INTO thing (value) VALUES (2)")
        #expect(try count(copy) == 2)
        #expect(try count(database) == 1)
    }

    @Test("serves many threads, one at a time")
    func shared() async throws {
        let shared = SharedDatabase(try Database(directory.file("data"), .readWrite))
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        try shared.write { database in
                            let count = try database.first("SELECT COUNT(*) FROM thing") { try $0.integer(0) }
                            try database.execute("INSERT INTO thing (value) VALUES (?)", [count])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let values = try shared.use {
            try $0.all("SELECT value FROM thing ORDER BY id") { try $0.integer(0) }
        }
        #expect(values == Array(0..<400))
        shared.close()
        #expect(throws: DatabaseError.self) { try shared.write { try $0.execute("DELETE FROM thing") } }
    }
}
