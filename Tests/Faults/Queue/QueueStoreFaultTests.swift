import Foundation
import SegmentedDL
import SegmentedDLDatabase
import SegmentedDLQueue
import SystemPackage
import TestContent
import TestSupport
import Testing

/// Faults of a queue's database.
@Suite("A queue's database")
struct QueueStoreFaultTests {
    private let directory: TemporaryDirectory
    private let server: TestServerProcess.Scenario
    private var configuration: ManagerConfiguration

    init() async throws {
        directory = try TemporaryDirectory()
        server = try await SharedServer.scenario()
        configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        configuration.retry.delay = .milliseconds(100)
    }

    private func request(_ name: String, size: Int64 = 1000, _ query: String = "") throws -> DownloadRequest {
        try DownloadRequest(
            server.url("plain", size, name: name, query), to: .directory(directory.filePath("files")))
    }

    /// Fills a queue with this many downloads, none of which runs.
    private func fill(_ count: Int) async throws {
        var configuration = configuration
        configuration.runsDownloads = false
        let entries = try (0..<count).map { QueueEntry(try request("\($0).bin")) }
        _ = try await DownloadManager.withManager(configuration) { try await $0.add(entries) }
    }

    @Test(
        "on a full disk adds nothing, running downloads wait, and everything continues with more space",
        .enabled(if: Disk.isAvailable, Comment(rawValue: Disk.reason)))
    func fullDisk() async throws {
        // Blocks of 4 KiB, as on larger disks: with smaller ones SQLite's shared memory can run into a hole.
        try await Disk.with(.ext4, megabytes: 16, options: "-b 4096") { disk in
            var configuration = configuration
            configuration.store = FilePath(disk.file("queue.sqlite"))
            configuration.downloads.limits.activeFiles = 1
            try await DownloadManager.withManager(configuration) { manager in
                let before = try await manager.add(request("before.bin", size: 3_000_000, "rate=3000000"))
                try await Disk.shell("dd if=/dev/zero of='\(disk.path)/filler' bs=4k 2>/dev/null || true")
                let key = String(repeating: "k", count: 200_000)
                let error = await #expect(throws: DownloadError.self) {
                    try await manager.add(QueueEntry(request("after.bin"), key: key))
                }
                #expect(error?.code == .diskFull)
                #expect(error?.message.contains("free some space") == true)
                #expect(await manager.receipts.map(\.id) == [before.id])
                try await Disk.shell("rm '\(disk.path)/filler'")
                try await manager.result(of: before.id)
                try await manager.add(QueueEntry(request("after.bin"), key: key))
                try await manager.waitUntilIdle()
            }
            let receipts = try DownloadManager.receipts(inStoreAt: configuration.store)
            #expect(receipts.map(\.state) == [.completed, .completed])
        }
        let mismatch = try TestContent(seed: 1).firstMismatch(
            inFile: directory.file("files/before.bin"), length: 3_000_000)
        #expect(mismatch == nil)
    }

    @Test("of a newer version is refused and left unchanged")
    func newerVersion() async throws {
        try await fill(3)
        try change("INSERT INTO grdb_migrations VALUES ('from the future')")
        for _ in 0..<2 {
            let error = await #expect(throws: DownloadError.self) { try await DownloadManager(configuration) }
            #expect(error?.code == .badStore)
            #expect(error?.message.contains("newer version") == true)
        }
        #expect(throws: DownloadError.self) {
            try DownloadManager.receipts(inStoreAt: configuration.store)
        }
        let again = try Database(configuration.store, .readOnly)
        #expect(try again.first("SELECT COUNT(*) FROM download") { try $0.integer(0) } == 3)
    }

    @Test("locked by another program says so, and works once that program is done")
    func locked() async throws {
        try await fill(2)
        let database = try Database(configuration.store, .readWrite)
        try database.run("BEGIN EXCLUSIVE")
        let error = await #expect(throws: DownloadError.self) { try await DownloadManager(configuration) }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("locked by another program") == true)
        try database.run("ROLLBACK")
        database.close()
        try await DownloadManager.withManager(configuration) { manager in
            try await manager.waitUntilIdle()
            #expect(await manager.progress.counts == [.completed: 2])
        }
    }

    @Test(
        "with any damaged page opens with every receipt correct, or reports a clear error and is left unchanged"
    )
    func damaged() async throws {
        try await fill(300)
        try change("PRAGMA wal_checkpoint(TRUNCATE)")
        let intact = try directory.read("queue.sqlite")
        var configuration = configuration
        configuration.runsDownloads = false
        let receipts = try DownloadManager.receipts(inStoreAt: configuration.store)
        #expect(receipts.count == 300)
        var refused = 0
        for page in stride(from: 0, to: intact.count / 4096, by: 3) {
            for kind in 0..<3 {
                var bytes = intact
                switch kind {
                case 0:
                    bytes.replaceSubrange(page * 4096..<page * 4096 + 64, with: repeatElement(0, count: 64))
                case 1:
                    bytes.replaceSubrange(
                        page * 4096..<page * 4096 + 64, with: (0..<64).map { UInt8($0 * 3) })
                default: bytes.removeSubrange((page * 4096 + 100)...)
                }
                try replace(bytes)
                do {
                    try await DownloadManager.withManager(configuration) { manager in
                        #expect(await manager.receipts == receipts, "page \(page), kind \(kind)")
                    }
                } catch let error as DownloadError {
                    refused += 1
                    #expect(error.code == .badStore, "page \(page), kind \(kind): \(error)")
                    #expect(error.message.contains("queue.sqlite"))
                    #expect(try directory.read("queue.sqlite") == bytes)
                }
            }
        }
        #expect(refused > 0)
        try replace(intact)
        try await DownloadManager.withManager(configuration) { #expect(await $0.receipts == receipts) }
    }

    private func replace(_ bytes: [UInt8]) throws {
        for name in ["queue.sqlite", "queue.sqlite-wal", "queue.sqlite-shm"] { try? directory.remove(name) }
        try Data(bytes).write(to: URL(fileURLWithPath: directory.file("queue.sqlite")))
    }

    @Test("with invalid rows is refused")
    func senseless() async throws {
        for (sql, code) in [
            ("UPDATE download SET state = 'dancing' WHERE id = 2", DownloadError.Code.badStore),
            ("UPDATE download SET options = x'00' WHERE id = 2", .badStore),
            ("UPDATE download SET directory = NULL WHERE id = 2", .badStore),
            ("UPDATE download SET url = 'gopher://x' WHERE id = 2", .badStore),
            ("DROP TABLE download", .badStore),
        ] {
            for name in directory.names where name.hasPrefix("queue") { try directory.remove(name) }
            try await fill(3)
            try change(sql)
            let error = await #expect(throws: DownloadError.self, "\(sql)") {
                try await DownloadManager(configuration)
            }
            #expect(error?.code == code, "\(sql): \(String(describing: error))")
        }
    }

    @Test(
        "whose rows another program changes while it is open continues, or ends with a clear error",
        arguments: [
            ("DELETE FROM download", true), ("DELETE FROM download WHERE id = 15", true),
            ("UPDATE download SET state = 'paused' WHERE id > 10", true),
            ("UPDATE download SET rank = rank + 1", true),
            ("UPDATE download SET priority = 5, hasBegun = 1 WHERE id = 15", false),
        ])
    func rowsChanged(sql: String, isFatal: Bool) async throws {
        var configuration = configuration
        configuration.downloads.limits.activeFiles = 1
        // Everything that is not running is read from the database.
        configuration.receiptsInMemory = 0
        configuration.downloads.segments = .fixed(1)
        let entries = try (0..<20).map { number in
            // The first one is slow.
            QueueEntry(try request("\(number).bin", size: 200_000, number == 0 ? "rate=100000" : ""))
        }
        var waiting = configuration
        waiting.runsDownloads = false
        _ = try await DownloadManager.withManager(waiting) { try await $0.add(entries) }
        do {
            try await DownloadManager.withManager(configuration) { manager in
                try change(sql)
                // The running one continues; then the next one to begin turns out to be changed.
                try await manager.waitUntilIdle()
            }
            #expect(!isFatal)
        } catch let error as DownloadError {
            #expect(isFatal, "\(error)")
            #expect(error.code == .badStore)
            #expect(error.message.contains("another program has changed it"))
        }
        // The running one was not affected.
        let receipts = try DownloadManager.receipts(inStoreAt: configuration.store)
        #expect(receipts.allSatisfy { $0.state != .failed })
        if !isFatal { #expect(receipts.allSatisfy { $0.state == .completed }) }
    }

    /// Changes the database like another program while a manager has it open.
    private func change(_ sql: String) throws {
        let database = try Database(configuration.store, .readWrite, busyTimeoutMilliseconds: 30_000)
        defer { database.close() }
        try database.run(sql)
    }

    @Test("of another program is left unchanged, and an empty one is an empty queue")
    func foreign() async throws {
        try change("CREATE TABLE theirs (x)")
        let before = try directory.read("queue.sqlite")
        let error = await #expect(throws: DownloadError.self) { try await DownloadManager(configuration) }
        #expect(error?.code == .badStore)
        #expect(error?.message.contains("another program's") == true)
        #expect(try directory.read("queue.sqlite") == before)
        try directory.write("", to: "empty.sqlite")
        #expect(try DownloadManager.receipts(inStoreAt: directory.filePath("empty.sqlite")).isEmpty)
    }

    @Test("has one owner, even under a second name")
    func symbolicLink() async throws {
        try await fill(1)
        try directory.link("other.sqlite", to: "queue.sqlite")
        var other = configuration
        other.store = directory.filePath("other.sqlite")
        try await DownloadManager.withManager(configuration) { manager in
            let error = await #expect(throws: DownloadError.self) { try await DownloadManager(other) }
            #expect(error?.code == .locked)
            #expect(DownloadManager.isOpen(storeAt: other.store))
            try await manager.waitUntilIdle()
        }
        try await DownloadManager.withManager(other) { #expect(await $0.receipts.count == 1) }
    }

    @Test("replaced by a file or directory is a clear error")
    func badPlace() async throws {
        try directory.makeDirectory("folder")
        try directory.write("", to: "file")
        for (place, named) in [("file/queue.sqlite", "file"), ("folder", "folder")] {
            var configuration = configuration
            configuration.store = directory.filePath(place)
            let error = await #expect(throws: DownloadError.self) { try await DownloadManager(configuration) }
            #expect(error?.code == .badPath, "\(String(describing: error))")
            #expect(error?.message.contains(directory.file(named)) == true)
        }
    }
}
