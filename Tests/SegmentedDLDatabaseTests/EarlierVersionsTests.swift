import SegmentedDLDatabase
import SegmentedDLOptions
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import SegmentedDLQueue
@testable import SegmentedDLServer

/// Each version has left the same files, made by `Tests/Earlier/make.py`: a next version needs its directory
/// and its name in `EarlierFiles`, and no tests of its own.
@Suite("Files of each version")
struct EarlierVersionsTests {
    private static let server = EarlierFiles.server
    private static let odd = "drei é.txt"

    private func text(_ name: String, _ directory: TemporaryDirectory) throws -> String {
        String(decoding: try directory.read(name), as: UTF8.self)
    }

    // MARK: Downloads

    /// Returns the bytes that a resume trusts when `answered` is the first source that answers.
    private func trusted(_ manifest: Manifest, _ answered: String, boot: String) throws -> ByteRangeSet {
        let sources = try [Self.server + "/disk.img?q=a b&n=é", Self.server + "/other/disk.img?q=a b&n=é"]
            .map { try Source($0) }
        let resource = ResourceInfo(
            length: 8 << 20, acceptsRanges: true,
            validators: Validators(
                etag: "\"6ae68100-800000\"", lastModified: "Sun, 01 Nov 2026 00:00:00 GMT"))
        let decision = ResumeDecision.decide(
            .manifest(manifest.recognizing(sources)), PartFileState(inode: manifest.inode, size: 8 << 20),
            resource: resource,
            sources: SourceDigests(answered: try Source(answered).digest, all: sources.map(\.digest)),
            boot: boot)
        // Bytes of another source are compared first.
        guard case .resume(let ranges) = decision else { return ByteRangeSet() }
        return ranges
    }

    @Test("a killed download is resumed", arguments: EarlierFiles.versions)
    func manifest(version: String) throws {
        let manifest = try ManifestCodec.decode(EarlierFiles.copy(version).read("manifest.segdl"))
        let url = Self.server + "/disk.img?q=a b&n=é"
        #expect(manifest.url == Self.server + "/disk.img?…")
        let written = try trusted(manifest, url, boot: manifest.boot)
        #expect(written == Manifest.rangeSet(manifest.written, within: 8 << 20))
        #expect(written.byteCount > 2 << 20)
        let durable = try trusted(manifest, url, boot: "later")
        #expect(durable == Manifest.rangeSet(manifest.durable, within: 8 << 20))
        #expect(!durable.isEmpty && durable != written)
        let mirror = Self.server + "/other/disk.img?q=a b&n=é"
        #expect(manifest.recognizing([try Source(mirror)]).mirrors == [try Source(mirror).digest])
        #expect(try trusted(manifest, mirror, boot: manifest.boot).isEmpty)
        #expect(try trusted(manifest, url + "2", boot: manifest.boot).isEmpty)
    }

    @Test("a finished file is recognized by its mark", arguments: EarlierFiles.versionsWithDaemon)
    func origin(version: String) throws {
        let mark = try #require(OriginMark(parsing: try text("origin", EarlierFiles.copy(version))))
        #expect(mark.size == 4 && mark.modified == 1_793_491_200_000_000_000)
        #expect(
            mark.origin
                == OriginMark.Origin(
                    urlDigest: try Source(Self.server + "/tree/one.txt").digest, etag: "\"6ae68100-4\"",
                    lastModified: "Sun, 01 Nov 2026 00:00:00 GMT"))
    }

    // MARK: Queues

    @Test("a killed queue opens with its content", arguments: EarlierFiles.versions)
    func queue(version: String) throws {
        let directory = try EarlierFiles.copy(version)
        let store = try QueueStore(path: directory.filePath("queue.sqlite"), durability: .power)
        defer { store.close() }
        var records: [QueueRecord] = []
        try store.forEach({ records.append($0) })
        #expect(records.map(\.id.rawValue) == [1, 2, 3])
        #expect(records.map(\.state) == [.completed, .downloading, .paused])
        #expect(records.map(\.key) == ["odd", nil, "all"])
        #expect(records.map(\.request.priority) == [0, 2, 0])
        #expect(
            records.map(\.source) == [
                try Source(Self.server + "/tree/sub/" + Self.odd), try Source(Self.server + "/disk.img"),
                try Source("http://H.Example:80/%62ig?a=1"),
            ])
        let files = FilePath(EarlierFiles.home).appending("queue/files")
        #expect(
            records.map(\.destination) == [
                .directory(files), .directory(files), .file(files.appending("named.bin")),
            ])
        #expect(records[0].path == files.appending(Self.odd))
        #expect(records[1].hasBegun && records[1].bytesCompleted > 0 && records[1].bytesTotal == 8 << 20)
        #expect(records.map(\.request.segments) == [nil, .fixed(3), nil])
        let request = records[2].request
        #expect(request.checksums.map(\.description) == ["sha256=" + String(repeating: "0", count: 64)])
        #expect(request.ifExists == .rename && request.rate == 1000)
        #expect(records[2].onComplete == "echo done")
        // The fourth one was removed: its number is not used again.
        #expect(try store.lastID() == 4)
    }

    // MARK: Mirrors

    @Test("a killed mirror resumes with its listing and its files", arguments: EarlierFiles.versions)
    func mirror(version: String) throws {
        let directory = try EarlierFiles.copy(version)
        let store = try MirrorStore(path: directory.filePath("mirror.sqlite"))
        defer { store.close() }
        let last = try #require(
            try store.use { database in
                try database.first("SELECT source, touched FROM run") {
                    (source: try $0.text(0), time: try $0.integer(1))
                }
            })
        let run = try store.begin(last.source, startsOver: false, now: last.time + 1)
        #expect(run == .init(id: 2, pass: 2, isResumed: true, isListed: true))
        let complete = try store.complete(in: run, after: "", atMost: 10).map { ($0.path.text, $0.record) }
        let waiting = try store.waiting(after: 0, atMost: 10)
        let big = try #require(waiting.first { $0.path == "zzz.img" })
        #expect(big.record == nil)
        #expect(big.item.sources == [try Source(Self.server + "/tree/zzz.img")])
        let known = complete + waiting.compactMap { file in file.record.map { (file.path, $0) } }
        let sums = ["one.txt": "one\n", Self.odd: "drei é\n", "two.txt": "two\n"].mapValues { content in
            Digest.sha256(content.utf8)
        }
        #expect(known.map(\.0).sorted() == ["one.txt", "sub/" + Self.odd, "two.txt"])
        for (path, record) in known {
            let name = path.replacing("sub/", with: "")
            #expect(record.sha256 == sums[name])
            #expect(record.lastModified == "Sun, 01 Nov 2026 00:00:00 GMT")
            let source = try Source(Self.server + "/tree/" + path)
            let item = MirrorItem([source], path: try RelativePath(path))
            #expect(item.source(of: record.url) == source)
        }
    }

    @Test("a mirror's proof and sums are read", arguments: EarlierFiles.versions)
    func proof(version: String) throws {
        let directory = try EarlierFiles.copy(version)
        let reader = try ProofReader(directory.filePath("proof.jsonl"))
        var lines: [String] = []
        while let line = try reader.next() { lines.append("\(line.sha256.hexadecimal)  \(line.path)") }
        #expect(
            lines
                == [("one.txt", "one\n"), ("sub/" + Self.odd, "drei é\n"), ("two.txt", "two\n")].map {
                    "\(Digest.sha256($0.1.utf8))  \($0.0)"
                })
        let entries = ChecksumList(try text("sums", directory)).entries
        #expect(entries.map { "\($0.checksum.hexadecimal)  \($0.name)" } == lines)
    }

    @Test(
        "the proofs of shards are merged, and the missing files can be listed",
        arguments: EarlierFiles.versions
    )
    func shards(version: String) async throws {
        let directory = try EarlierFiles.copy(version)
        let report = try await ProofMerge(of: [directory.filePath("shards")]).run()
        #expect(report.parts.map(\.state) == [.failed, .complete])
        #expect(report.parts.map(\.files) == [1, 1])
        #expect(report.parts[0].failures.map(\.path?.text) == ["refused.txt"])
        #expect(report.parts[0].failures[0].message.contains("403"))
        var parser = try MirrorListParser(.jsonLines, name: "missing")
        let missing = try parser.feed(try directory.read("missing.jsonl")) + parser.finish()
        let refused = try Source(Self.server + "/parts/refused.txt")
        #expect(missing == [.item(MirrorItem([refused], path: try RelativePath("refused.txt")))])
    }

    // MARK: The daemon

    @Test(
        "a killed daemon has its downloads, their options and its mirrors",
        arguments: EarlierFiles.versionsWithDaemon)
    func daemon(version: String) async throws {
        let directory = try EarlierFiles.copy(version)
        let queue = directory.filePath("daemon.sqlite")
        let receipts = try DownloadManager.receipts(inStoreAt: queue)
        let gids = receipts.map { GID(of: $0) }
        #expect(gids.map(\.description) == ["00000000000000a1", "00000000000000b2"])
        #expect(receipts.map(\.state) == [.queued, .paused])
        let store = try DaemonStore(beside: queue)
        try await store.keep(only: Set(gids))
        let first = await store.attachment(of: gids[0])
        #expect(first.values.segments(of: []) == .fixed(3))
        #expect(first.authorization.headers == [HTTPHeader("X-Kept", "yes")])
        let second = await store.attachment(of: gids[1])
        #expect(second.value("out") == "eins.txt")
        #expect(second.authorization.credentials == Credentials(user: "user", password: "word"))
        let mirrors = try await store.mirrors().map(\.record)
        #expect(mirrors.map(\.restingState) == [.complete, .stopped])
        #expect(mirrors[0].order.source == Self.server + "/tree/")
        #expect(mirrors[0].order.directory == EarlierFiles.home + "/daemon/files/copy")
        #expect(mirrors[0].order.exclude == ["two.*"] && mirrors[0].order.headers == ["X-Kept: yes"])
        #expect(mirrors[0].last?.tally.new == 2)
        await store.close()
    }

    @Test("settings that 0.2.0 stored beside the queue are moved to its requests, once")
    func settingsBesideQueue() async throws {
        let directory = try TemporaryDirectory()
        let queue = directory.filePath("queue.sqlite")
        var configuration = ManagerConfiguration(store: queue)
        configuration.runsDownloads = false
        let gids = try ["00000000000000a1", "00000000000000b2"].map { try #require(GID($0)) }
        let ids = try await DownloadManager.withManager(configuration) { manager in
            var ids: [Receipt.ID] = []
            for gid in gids {
                let name = gid.description
                let request = try DownloadRequest("http://h/\(name)", to: .file(path: "/d/\(name)"))
                ids.append(try await manager.add(QueueEntry(request, key: name)).id)
            }
            return ids
        }
        let piece = "sha1=" + String(repeating: "2b", count: 20)
        let rows = [
            """
            {"options": {"max-tries": ["4"], "remove-control-file": ["true"], "allow-overwrite": ["true"],
             "http-user": ["me"]}, "length": 5, "pieces": {"length": 9, "checksums": ["\(piece)"]}}
            """,
            #"{"options": {}, "access": {"headers": ["A: b"]}, "checksumOrigin": "list", "startsOver": true}"#,
        ]
        var store = try DaemonStore(beside: queue)
        await store.close()
        let database = try Database(FilePath(queue.string + ".jobs"), .readWrite)
        for (gid, row) in zip(gids, rows) {
            try database.execute("INSERT INTO job VALUES (?, ?)", [gid.description, Array(row.utf8)])
        }
        database.close()

        store = try DaemonStore(beside: queue)
        try await store.moveEarlierSettings(to: configuration)
        #expect(try await store.earlierSettings().isEmpty)
        let requests = try await DownloadManager.withManager(configuration) { manager in
            let requests = [await manager.request(of: ids[0]), await manager.request(of: ids[1])]
            // A later change is not undone.
            try await manager.change(ids[0]) { $0.request.tries = nil }
            return requests
        }
        #expect(requests.map { $0?.tries } == [FileTries(count: 4), nil])
        #expect(requests.map { $0?.startsOver } == [true, true])
        #expect(requests.map { $0?.expectedLength } == [5, nil])
        #expect(requests.map { $0?.checksumOrigin } == [nil, .list])
        try await store.moveEarlierSettings(to: configuration)
        let changed = try await DownloadManager.withManager(configuration) { await $0.request(of: ids[0]) }
        #expect(changed?.tries == nil && changed?.expectedLength == 5)
        // The others remain beside the queue.
        let first = await store.attachment(of: gids[0])
        #expect(first.authorization.credentials?.user == "me" && first.pieces?.count == 1)
        #expect(await store.attachment(of: gids[1]).authorization.headers == [HTTPHeader("A", "b")])
        await store.close()
    }

    @Test("after a failure the next start moves only the settings that were not moved")
    func interruptedMove() async throws {
        let directory = try TemporaryDirectory()
        let queue = directory.filePath("queue.sqlite")
        var configuration = ManagerConfiguration(store: queue)
        configuration.runsDownloads = false
        configuration.downloads.durability = .process
        let count = DownloadManager.batch + 2
        // In the order in which they are moved.
        let gids = try (1...count).map { number -> GID in
            let digits = String(number, radix: 16)
            return try #require(GID(String(repeating: "0", count: 16 - digits.count) + digits))
        }
        let entries = try gids.map { gid in
            let request = try DownloadRequest("http://h/\(gid)", to: .file(path: "/d/\(gid)"))
            return QueueEntry(request, key: gid.description)
        }
        let ids = try await DownloadManager.withManager(configuration) { manager in
            try await manager.add(entries).map { try $0.get().id }
        }
        var store = try DaemonStore(beside: queue)
        await store.close()
        let database = try Database(FilePath(queue.string + ".jobs"), .readWrite)
        try database.transaction {
            for gid in gids {
                // The last one is refused.
                let row = #"{"options": {"max-tries": ["4"]}, "length": \#(gid == gids[count - 1] ? -1 : 5)}"#
                try database.execute("INSERT INTO job VALUES (?, ?)", [gid.description, Array(row.utf8)])
            }
        }
        database.close()

        store = try DaemonStore(beside: queue)
        let (reopened, opening) = (store, configuration)
        await #expect(throws: DownloadError.self) { try await reopened.moveEarlierSettings(to: opening) }
        let left = try await store.earlierSettings().map { $0.gid }
        #expect(left == Array(gids.suffix(2)))
        try await DownloadManager.withManager(configuration) { manager in
            _ = try await manager.change(ids[0]) { $0.request.tries = nil }
        }
        try await store.erase(gids[count - 1])
        try await store.moveEarlierSettings(to: configuration)
        #expect(try await store.earlierSettings().isEmpty)
        let requests = try await DownloadManager.withManager(configuration) { manager in
            [await manager.request(of: ids[0]), await manager.request(of: ids[count - 2])]
        }
        #expect(requests.map { $0?.tries } == [nil, FileTries(count: 4)])
        #expect(requests.map { $0?.expectedLength } == [5, 5])
        await store.close()
    }
}

extension WaitingFile {
    fileprivate var path: String { item.path.text }
}
