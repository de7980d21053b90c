import Foundation
import SegmentedDLSupport
import SystemPackage
import TestContent
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

/// Complete downloads that are added again, with an engine in memory whose file a test changes.
@Suite("A complete download that is added again")
struct AddedAgainTests {
    private static let first: [UInt8] = [1, 2, 3]
    private static let second: [UInt8] = [4, 5, 6, 7]

    /// A manager whose server sends the version as each byte of `content`.
    private struct Fixture {
        let content = Lock(AddedAgainTests.first)
        let actions = Lock<[Int64]>([])
        var memory: MemoryManager

        init() throws {
            memory = try MemoryManager()
            memory.engine = MemoryEngine { [content] request, _ in
                let content = content.withLock { $0 }
                let etag = "\"\(content[0])\""
                guard request.headers.contains(HTTPHeader("If-None-Match", etag)) else {
                    return .honest(content, request.range, etag: etag)
                }
                return .init(head: ResponseHead(status: 304, fields: [HTTPHeader("ETag", etag)]))
            }
            memory.configuration.onComplete = { [actions] _, receipt, _ in
                actions.withLock { $0.append(receipt.bytesCompleted) }
            }
        }

        func entry(_ policy: ExistingFilePolicy = .replace) throws -> QueueEntry {
            var request = try DownloadRequest("http://host/file", to: .directory(memory.files))
            request.ifExists = policy
            return QueueEntry(request, onComplete: "unpack")
        }

        /// Completes the download, adds it again, and returns its receipts before and after the second run.
        func repeated(
            _ policy: ExistingFilePolicy = .replace, change: () throws -> Void = {}
        ) async throws -> (before: Receipt, after: Receipt) {
            try await memory.run { manager in
                let before = try await manager.result(of: manager.add(entry(policy)).id)
                try change()
                let (results, putBack) = try await manager.addAgain([entry(policy)])
                #expect(try results.map { try $0.get().id } == [before.id])
                #expect(putBack == [before.id])
                try await manager.waitUntilIdle()
                return (before, try #require(await manager.receipt(before.id)))
            }
        }

        func read(_ name: String) throws -> [UInt8] { try memory.directory.read("f/\(name)") }
    }

    @Test(
        "revalidates once, fetches nothing, and does not repeat its action",
        arguments: ExistingFilePolicy.allCases)
    func unchanged(policy: ExistingFilePolicy) async throws {
        let fixture = try Fixture()
        let (before, after) = try await fixture.repeated(policy)
        #expect(after.state == .completed && after.found == .unchanged)
        #expect(after.path == before.path && after.bytesCompleted == 3 && after.added == before.added)
        #expect(fixture.memory.engine.requests.count == 2)
        #expect(fixture.actions.withLock { $0 } == [3])
        #expect(try fixture.read("file") == Self.first)
    }

    @Test("gets another version from the server, and its action runs for that one")
    func changed() async throws {
        let fixture = try Fixture()
        let (_, after) = try await fixture.repeated { fixture.content.withLock { $0 = Self.second } }
        #expect(after.state == .completed && after.found == nil && after.bytesCompleted == 4)
        #expect(fixture.actions.withLock { $0 } == [3, 4])
        #expect(try fixture.read("file") == Self.second)
    }

    @Test("with policy fail keeps its file, and fails as a new download would")
    func refused() async throws {
        let fixture = try Fixture()
        let (before, after) = try await fixture.repeated(.fail) {
            fixture.content.withLock { $0 = Self.second }
        }
        #expect(after.state == .failed && after.error?.code == .fileExists && after.path == before.path)
        #expect(try fixture.read("file") == Self.first)
    }

    @Test("with policy rename gets the name that a new download would get")
    func renamed() async throws {
        let fixture = try Fixture()
        try fixture.memory.directory.makeDirectory("f")
        try fixture.memory.directory.write("mine", to: "f/file")
        let (before, after) = try await fixture.repeated(.rename) {
            fixture.content.withLock { $0 = Self.second }
        }
        #expect(before.path?.lastComponent == "file.1" && after.path?.lastComponent == "file.2")
        #expect(try fixture.read("file.1") == Self.first)
        #expect(try fixture.read("file.2") == Self.second)
    }

    @Test("fetches a missing file", arguments: ExistingFilePolicy.allCases)
    func missing(policy: ExistingFilePolicy) async throws {
        let fixture = try Fixture()
        let (_, after) = try await fixture.repeated(policy) {
            try fixture.memory.directory.remove("f/file")
        }
        #expect(after.state == .completed && after.found == nil)
        #expect(try fixture.read("file") == Self.first)
    }

    @Test("with a digest makes no request while the file matches, and keeps the proof")
    func digest() async throws {
        let fixture = try Fixture()
        var entry = try fixture.entry()
        entry.request.checksums = [try Checksum(.sha256, Digest.sha256(Self.first))]
        try await fixture.memory.run { [entry] manager in
            let before = try await manager.result(of: manager.add(entry).id)
            _ = try await manager.addAgain([entry])
            try await manager.waitUntilIdle()
            let after = try #require(await manager.receipt(before.id))
            #expect(after.found == .unchanged && after.proofs.count == 1 && after.proofs == before.proofs)
        }
        #expect(fixture.memory.engine.requests.count == 1)
    }

    @Test("keeps the results of its file until another one replaces it")
    func proofs() async throws {
        let fixture = try Fixture()
        let proof = DigestProof(try Checksum(.sha256, Digest.sha256(Self.first)), isRequested: false)
        try await fixture.memory.run { manager in
            let id = try await manager.result(of: manager.add(fixture.entry()).id).id
            await manager.prove(proof, of: id)
            _ = try await manager.addAgain([fixture.entry()])
            try await manager.waitUntilIdle()
            #expect(await manager.receipt(id)?.proofs == [proof])
            fixture.content.withLock { $0 = Self.second }
            _ = try await manager.addAgain([fixture.entry()])
            try await manager.waitUntilIdle()
            #expect(await manager.receipt(id)?.proofs == [])
        }
    }

    @Test("remains complete for a program that adds its list again")
    func library() async throws {
        let fixture = try Fixture()
        try await fixture.memory.run { manager in
            let before = try await manager.result(of: manager.add(fixture.entry()).id)
            #expect(try await manager.add(fixture.entry()) == before)
        }
        #expect(fixture.memory.engine.requests.count == 1)
    }

    @Test("waits as paused on request, and removes its file if it is removed with its files meanwhile")
    func removed() async throws {
        let fixture = try Fixture()
        var paused = try fixture.entry()
        paused.startsPaused = true
        try await fixture.memory.run { [paused] manager in
            let id = try await manager.result(of: manager.add(fixture.entry()).id).id
            _ = try await manager.addAgain([paused])
            #expect(await manager.receipt(id)?.state == .paused)
            // An incomplete download is not changed.
            let again = try await manager.addAgain([fixture.entry()])
            #expect(again.putBack.isEmpty)
            #expect(try again.results.map { try $0.get().state } == [.paused])
            try await manager.remove(.id(id), withFiles: true)
        }
        #expect(fixture.memory.engine.requests.count == 1)
        #expect(!fixture.memory.directory.exists("f/file"))
    }

    @Test("that was restarted before keeps its policy")
    func restarted() async throws {
        let fixture = try Fixture()
        try await fixture.memory.run { manager in
            let id = try await manager.result(of: manager.add(fixture.entry(.fail)).id).id
            try await manager.restart(.id(id))
            _ = try await manager.result(of: id)
            let before = fixture.memory.engine.requests.count
            _ = try await manager.addAgain([fixture.entry(.fail)])
            #expect(try await manager.result(of: id).found == .unchanged)
            #expect(fixture.memory.engine.requests.count == before + 1)
            fixture.content.withLock { $0 = Self.second }
            _ = try await manager.addAgain([fixture.entry(.fail)])
            try await manager.waitUntilIdle()
            #expect(await manager.receipt(id)?.error?.code == .fileExists)
            try await manager.restart(.id(id))
            #expect(try await manager.result(of: id).found == nil)
        }
        #expect(try fixture.read("file") == Self.second)
    }

    @Test("has the bytes of its file until a run has started with others")
    func bytesOnDisk() throws {
        var record = QueueRecord(
            id: Receipt.ID(rawValue: 1), source: try Source("http://host/file"),
            destination: .directory("/d"), added: Date())
        record.path = "/d/file"
        record.identity = FileIdentity(inode: 1, size: 3, modified: 0)
        record.bytesCompleted = 3
        record.isAddedAgain = true
        #expect(record.withBytesOnDisk().bytesCompleted == 3)
        record.part = DownloadPaths("/d/file", in: nil)
        #expect(record.withBytesOnDisk().bytesCompleted == 0)
    }

    @Test("is revalidated by the next process, but not again if it was killed after the rename")
    func stored() async throws {
        let fixture = try Fixture()
        let id = try await fixture.memory.run { manager in
            try await manager.result(of: manager.add(fixture.entry()).id).id
        }
        var other = fixture.memory
        other.configuration.runsDownloads = false
        try await other.run { manager in _ = try await manager.addAgain([fixture.entry()]) }
        let asked = try await fixture.memory.run { manager in try await manager.result(of: id) }
        #expect(asked.found == .unchanged)
        #expect(fixture.memory.engine.requests.count == 2)
        try await other.run { manager in
            _ = try await manager.addAgain([fixture.entry()])
            let identity = try #require(
                FileIdentity.ofFile(at: fixture.memory.files.appending("file")))
            // The state left by a run that is killed at this point.
            await manager.willPublish(id, identity)
        }
        let killed = try await fixture.memory.run { manager in try await manager.result(of: id) }
        #expect(killed.state == .completed)
        #expect(fixture.memory.engine.requests.count == 2)
        #expect(fixture.actions.withLock { $0 } == [3, 3])
    }
}

extension DownloadManager {
    fileprivate func prove(_ proof: DigestProof, of id: Receipt.ID) {
        apply(queue.edit(id) { $0.results.proofs = [proof] })
    }

    fileprivate func willPublish(_ id: Receipt.ID, _ identity: FileIdentity) {
        apply(
            queue.edit(id) { record in
                record.identity = identity
                record.isAddedAgain = false
            })
    }
}
