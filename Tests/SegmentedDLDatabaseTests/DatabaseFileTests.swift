import SegmentedDL
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDLDatabase

@Suite("The database of a queue or a mirror")
struct DatabaseFileTests {
    private let directory: ScratchDirectory
    private let path: FilePath

    private static let file = DatabaseFile(
        noun: "The list", kind: "list", consolation: "Nothing is lost.", size: .small,
        schema: Schema(applicationID: 77, versions: ["CREATE TABLE thing (value ANY) STRICT"]))

    init() throws {
        directory = try ScratchDirectory()
        path = directory.file("data")
    }

    private func count(_ database: Database) throws -> Int64? {
        try database.first("SELECT COUNT(*) FROM thing") { try $0.integer(0) }
    }

    @Test(
        "waits for the disk at each transaction if it must survive a power cut",
        arguments: [true, false])
    func synchronization(isDurable: Bool) throws {
        for _ in 0..<2 {
            let (lock, database) = try Self.file.open(path, isDurable: isDurable)
            #expect(try database.synchronization() == (isDurable ? .full : .normal))
            #expect(try database.first("PRAGMA journal_mode") { try $0.text(0) } == "wal")
            database.close()
            lock.release()
        }
    }

    @Test("has one owner at a time, and is readable only by its user")
    func owner() throws {
        let (lock, database) = try Self.file.open(path, isDurable: true)
        let error = #expect(throws: DownloadError.self) { try Self.file.open(path, isDurable: true) }
        #expect(error?.code == .locked)
        #expect(StoreLock.isHeld(for: path))
        database.close()
        lock.release()
        #expect(!StoreLock.isHeld(for: path))
        #expect(try SystemCalls.status(path).kind == .file)
    }

    @Test("is not open because another process checks whether it is")
    func checks() throws {
        let (lock, database) = try Self.file.open(path, isDurable: false)
        database.close()
        lock.release()
        let check = try FileDescriptor.open(directory.file("data.lock"), .readWrite)
        defer { try? check.close() }
        #expect(try SystemCalls.lockShared(check))
        #expect(!StoreLock.isHeld(for: path))
    }

    @Test("does not open, and does not wait forever, while a stopped process checks whether it is open")
    func stoppedCheck() throws {
        try StoreLock(for: path, of: "The list").release()
        let check = try FileDescriptor.open(directory.file("data.lock"), .readWrite)
        defer { try? check.close() }
        #expect(try SystemCalls.lockShared(check))
        let error = #expect(throws: DownloadError.self) {
            try StoreLock(for: path, of: "The list", patience: 0.01)
        }
        #expect(error?.code == .locked && error?.isRetryable == true && error?.cause == nil)
        #expect(error?.message.hasPrefix("The list '\(path)' cannot be opened: ") == true)
        SystemCalls.unlock(check)
        try StoreLock(for: path, of: "The list", patience: 0).release()
    }

    @Test("names the process that holds a lock as the kernel lists it")
    func lockList() throws {
        let list = LockList(
            """
            1: POSIX  ADVISORY  WRITE 11 08:01:99 0 EOF
            2: FLOCK  ADVISORY  READ 12 fd:1ff:99 0 EOF
            2: -> FLOCK  ADVISORY  WRITE 13 08:01:99 0 EOF
            3: FLOCK  ADVISORY  READ 0 08:01:98 0 EOF
            4: FLOCK  ADVISORY  READ 14 08:01:99 0 EOF
            5: FLOCK
            """)
        let directory = try SystemCalls.status(directory.path)
        func holder(_ device: UInt64, _ inode: UInt64) -> Int32? {
            var status = directory
            (status.device, status.inode) = (device, inode)
            return list.holder(of: status)
        }
        #expect(holder(0x801, 99) == 14)
        #expect(holder(0x801, 98) == nil)
        #expect(holder(0x1f_fdff, 99) == nil)
        #expect(holder(0x10_fdff, 99) == 12)
    }

    @Test("opens while others check whether it is open", .timeLimit(.minutes(10)))
    func openedDuringChecks() async throws {
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { [path] in
                    for _ in 0..<2000 { _ = StoreLock.isHeld(for: path) }
                }
            }
            group.addTask { [path] in
                for _ in 0..<500 {
                    #expect(throws: Never.self) { try StoreLock(for: path, of: "The list").release() }
                }
            }
        }
        #expect(!StoreLock.isHeld(for: path))
    }

    @Test("is released even if a child process still has the descriptor of its lock")
    func inheritedLock() throws {
        let lock = try StoreLock(for: path, of: "The list")
        let inherited = try lock.descriptor.duplicate()
        defer { try? inherited.close() }
        lock.release()
        #expect(!StoreLock.isHeld(for: path))
    }

    @Test("records its owner, and whether it is open only for a change", arguments: [true, false])
    func holder(isBrief: Bool) throws {
        let (lock, database) = try Self.file.open(path, isDurable: true, isBrief: isBrief)
        defer {
            database.close()
            lock.release()
        }
        let error = #expect(throws: DownloadError.self) { try Self.file.open(path, isDurable: true) }
        let holder = error?.cause as? StoreLock.Holder
        #expect(holder == StoreLock.Holder(process: SystemCalls.processID, isBrief: isBrief))
        #expect(error?.message.contains("in process \(SystemCalls.processID);") == true)
    }

    @Test("is open in an unknown process if its lock file is empty or foreign")
    func unknownHolder() {
        #expect(StoreLock.Holder("12\n") == StoreLock.Holder(process: 12, isBrief: false))
        #expect(StoreLock.Holder("12 brief\n") == StoreLock.Holder(process: 12, isBrief: true))
        #expect(StoreLock.Holder("12\nief\n") == StoreLock.Holder(process: 12, isBrief: false))
        for text in ["", "\n", "12", "12 bri", "x\n"] { #expect(StoreLock.Holder(text) == nil) }
    }

    @Test("does not open while another program writes to it")
    func locked() throws {
        let (lock, database) = try Self.file.open(path, isDurable: true)
        lock.release()
        try database.transaction {
            let error = #expect(throws: DownloadError.self) { try Self.file.open(path, isDurable: true) }
            #expect(error?.code == .locked)
            #expect(error?.message.contains("locked by another program") == true)
        }
    }

    @Test("opens after a kill during a change without a log, with that change rolled back")
    func unfinishedChange() throws {
        let killed = directory.file("killed")
        let database = try Database(path, .readWrite)
        try Self.file.schema.update(database)
        // So small a cache that the change is in the file before it is complete.
        try database.run("PRAGMA cache_size = 1; INSERT INTO thing VALUES (1); BEGIN")
        for _ in 0..<200 {
            try database.execute(
                "INSERT INTO thing VALUES (?)", [Array(repeating: 7, count: 3000) as [UInt8]])
        }
        for ending in ["", "-journal"] {
            try directory.write(try directory.read("data" + ending), to: "killed" + ending)
        }
        try database.run("ROLLBACK")
        let error = #expect(throws: DatabaseError.self) { try count(Database(killed, .readOnly)) }
        #expect(error?.isUnfinishedChange == true)
        #expect(try count(Self.file.examined(killed)) == 1)
        let (lock, opened) = try Self.file.open(killed, isDurable: true)
        #expect(try count(opened) == 1)
        lock.release()
    }

    @Test("is read without changing its directory, and not created")
    func reading() throws {
        let odd = directory.file("a?b#c%d e")
        let (lock, database) = try Self.file.open(odd, isDurable: false)
        try database.run("INSERT INTO thing VALUES (1)")
        database.close()
        lock.release()
        let names = try directory.names()
        let immutable = try Database(odd, .immutable)
        #expect(try count(immutable) == 1)
        #expect(try directory.names() == names)
        let error = #expect(throws: DatabaseError.self) { try Self.file.examined(path) }
        #expect(error?.code == .cannotOpen)
        #expect(try directory.names() == names)
    }

    @Test("an error of reading does not mention writing")
    func refusedReader() {
        let error = #expect(throws: DownloadError.self) {
            try Self.file.explaining(path, isReading: true) { () throws -> Void in
                throw DatabaseError(.readOnly, "by the test")
            }
        }
        #expect(error?.code == .permissionDenied && error?.message.contains("cannot be read") == true)
    }

    @Test("opens after a kill at any moment of its creation")
    func killedAtFirst() throws {
        // The states in the order of their making: an empty file, one with a log, and that of 0.1.0 with a table.
        let scripts = [
            "", "PRAGMA journal_mode = WAL",
            "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
        ]
        for count in 1...scripts.count {
            let path = directory.file("made \(count)")
            let database = try Database(path, .readWrite)
            for script in scripts.prefix(count) { try database.run(script) }
            database.close()
            let (lock, opened) = try Self.file.open(path, isDurable: true)
            #expect(try self.count(opened) == 0)
            lock.release()
        }
    }

    @Test("names the damaged file and a remedy")
    func errors() throws {
        try directory.write(Array("no database".utf8), to: "text")
        let error = #expect(throws: DownloadError.self) {
            try Self.file.open(directory.file("text"), isDurable: true)
        }
        #expect(error?.code == .badStore)
        #expect(
            error?.message.hasPrefix("The list '\(directory.file("text"))' is damaged, or not a list (")
                == true)
        #expect(error?.message.hasSuffix("move it away to begin a new one. Nothing is lost.") == true)
        let missing = #expect(throws: DownloadError.self) {
            try Self.file.open(directory.file("none/data"), isDurable: true)
        }
        #expect(missing?.code == .badPath)
    }
}
