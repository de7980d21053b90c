import SegmentedDL
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDLDatabase
@testable import SegmentedDLMirror
@testable import SegmentedDLQueue

/// The files in `Fixtures` were made by the segdl of 0.1.0, which wrote them by another library.
@Suite("Databases of earlier versions")
struct EarlierDatabasesTests {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
        for name in [
            "queue-0.1.0.sqlite", "queue-0.1.0-killed.sqlite", "queue-0.1.0-killed.sqlite-wal",
            "mirror-0.1.0.sqlite", "mirror-0.1.0-names.sqlite", "proof-0.1.0.jsonl", "sums-0.1.0",
        ] {
            let original = FilePath(#filePath).removingLastComponent().appending("Fixtures").appending(
                name)
            let descriptor = try FileDescriptor.open(original, .readOnly)
            defer { try? descriptor.close() }
            let bytes = try [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
                count = try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            try directory.write(bytes, to: name)
        }
    }

    @Test("a queue of 0.1.0 opens with its content, and stores changes")
    func queue() throws {
        let path = directory.file("queue-0.1.0.sqlite")
        var listed: [Int64] = []
        try QueueStore.read(path) { listed.append($0.id.rawValue) }
        #expect(listed == [1, 2])
        var store = try QueueStore(path: path, durability: .power)
        var records: [QueueRecord] = []
        try store.forEach({ records.append($0) })
        #expect(records.map(\.id.rawValue) == [1, 2])
        #expect(
            records.map(\.source.url) == [
                "http://127.0.0.1:9/first.bin", "http://127.0.0.1:9/second.bin",
            ])
        #expect(records.map(\.key) == ["first", nil])
        #expect(
            records.map(\.destination) == [.directory("/srv/files"), .file("/srv/files/second.bin")])
        #expect(records.map(\.state) == [.queued, .paused])
        #expect(records.map(\.request.priority) == [3, 0])
        #expect(records.map(\.request.segments) == [.fixed(4), nil])
        #expect(records.map(\.request.checksums.first?.algorithm) == [.sha256, nil])
        #expect(records.map(\.onComplete) == [nil, "echo done"])
        #expect(records.map(\.request.rate) == [nil, 1000])
        // The third one was removed: its number is not used again.
        #expect(try store.lastID() == 3)

        var changed = try #require(records.first)
        changed.state = .failed
        changed.path = "/srv/files/first.bin"
        changed.identity = FileIdentity(inode: .max, size: 3, modified: -1)
        changed.bytesTotal = 3
        try store.apply([.save(changed), .erase(records[1].id)])
        #expect(store.records([changed.id]) == [changed])
        store.close()
        store = try QueueStore(path: path, durability: .power)
        #expect(store.records([changed.id]) == [changed])
        #expect(store.failure == nil)
        store.close()
    }

    @Test("a killed queue of 0.1.0 resumes what ran, and recognizes a URL in each spelling")
    func killed() async throws {
        var configuration = ManagerConfiguration(store: directory.file("queue-0.1.0-killed.sqlite"))
        let stored = try DownloadManager.receipts(inStoreAt: configuration.store)
        #expect(stored.map(\.state) == [.queued, .completed, .paused, .paused])
        #expect(stored[0].path == "/tmp/old/fix/work/files/disk.img" && stored[0].bytesTotal == 8 << 20)
        #expect(stored[0].bytesCompleted > 0)
        #expect(stored[1].key == "odd" && stored[1].path?.lastComponent?.string == "drei é.txt")
        configuration.runsDownloads = false
        try await DownloadManager.withManager(configuration) { manager in
            #expect(await manager.receipts.map(\.state) == stored.map(\.state))
            // They were two downloads then, and stay two.
            for url in ["http://h.example/big", "http://H.Example:80/%62ig", "HTTP://h.example/b%69g"] {
                #expect(try await manager.receipts(.url(url)).map(\.id.rawValue) == [3, 4])
            }
            let url = "http://127.0.0.1:28931/tree/sub/drei é.txt"
            #expect(await manager.receipt(for: url)?.id == stored[1].id)
            try await manager.remove(.id(stored[3].id))
            #expect(try await manager.receipts(.url("http://h.example/big")).map(\.id.rawValue) == [3])
        }
    }

    @Test("a mirror's state of 0.1.0 recognizes a copy by its URL in each spelling")
    func names() throws {
        let store = try MirrorStore(path: directory.file("mirror-0.1.0-names.sqlite"))
        let run = MirrorStore.Run(id: 1, pass: 1, isResumed: false, isListed: true)
        let files = try store.complete(in: run, after: "", atMost: 10)
        #expect(files.map(\.path.text) == ["one.txt", "sub/drei é.txt", "two.txt"])
        for file in files {
            let name = file.path.text.replacing("é", with: "%c3%a9")
            let source = try Source("http://127.0.0.1:28931/tree/\(name)")
            #expect(MirrorItem([source], path: file.path).source(of: file.record.url) == source)
        }
        store.close()
    }

    @Test("a proof of 0.1.0 is read, and its sums match its files")
    func proof() throws {
        let reader = try ProofReader(directory.file("proof-0.1.0.jsonl"))
        var lines: [String] = []
        while let line = try reader.next() { lines.append("\(line.sha256.hexadecimal)  \(line.path)") }
        let text = String(decoding: try directory.read("sums-0.1.0"), as: UTF8.self)
        #expect(lines.count == 3)
        #expect(ChecksumList(text).entries.map { "\($0.checksum.hexadecimal)  \($0.name)" } == lines)
    }

    @Test("a mirror's state of 0.1.0 opens with its content, and begins the next run")
    func mirror() throws {
        let store = try MirrorStore(path: directory.file("mirror-0.1.0.sqlite"))
        let first = MirrorStore.Run(id: 1, pass: 1, isResumed: false, isListed: true)
        #expect(try store.listed(in: first) == 3)
        let files = try store.complete(in: first, after: "", atMost: 10)
        #expect(files.map(\.path.text) == ["1.txt", "2.txt", "3.txt"])
        #expect(files.map(\.record.url) == (1...3).map { "http://127.0.0.1:8931/\($0).txt" })
        #expect(files.map(\.record.identity.size) == [7, 7, 7])
        #expect(files[0].record.sha256.hasPrefix("5f5d584c5857d85a"))
        #expect(files[0].record.lastModified == "Sun, 22 Nov 2026 21:17:58 GMT")
        #expect(try store.proofs().count == 2)
        let proof = try #require(try store.proof(at: "/srv/segdl-fixture/m/SHA256SUMS"))
        #expect(
            proof
                == WrittenProof(
                    identity: FileIdentity(inode: 1_007_634, size: 216, modified: 1_795_382_280_438_972_108),
                    run: 1, files: 3))
        let next = try store.begin("s", startsOver: false, now: 0)
        #expect(next == .init(id: 2, pass: 1, isResumed: false, isListed: false))
        #expect(try store.gone(in: next, after: "", atMost: 10).count == 3)
        store.close()
    }

    @Test("have the same tables as new ones")
    func tables() throws {
        try QueueStore(path: directory.file("queue"), durability: .power).close()
        try MirrorStore(path: directory.file("mirror")).close()
        for kind in ["queue", "mirror"] {
            // `place` is made when a queue is opened (`StoredPlaces`).
            let new = try layout(kind).filter { line in
                !line.hasPrefix("place.") && !line.hasPrefix("place ") && !line.hasSuffix(" of place")
            }
            #expect(new.count > 20)
            #expect(try layout("\(kind)-0.1.0.sqlite") == new)
        }
    }

    /// Each column of a database and each of its indexes, as a line.
    private func layout(_ name: String) throws -> [String] {
        let database = try Database(directory.file(name), .readOnly)
        let columns = try database.all(
            """
            SELECT printf('%s.%s %s %d %d', m.name, c.name, c.type, c."notnull", c.pk)
            FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid
            """
        ) { try $0.text(0) }
        let tables = try database.all(
            "SELECT printf('%s %d %d', name, wr, strict) FROM pragma_table_list WHERE schema = 'main' ORDER BY name"
        ) { try $0.text(0) }
        let indexes = try database.all(
            "SELECT printf('%s of %s', name, tbl_name) FROM sqlite_master WHERE type = 'index' ORDER BY name"
        ) { try $0.text(0) }
        let versions = try database.all("SELECT identifier FROM grdb_migrations ORDER BY 1") {
            try $0.text(0)
        }
        let owner = try database.all("PRAGMA application_id") { "\(try $0.integer(0))" }
        return columns + tables + indexes + versions + owner
    }
}
