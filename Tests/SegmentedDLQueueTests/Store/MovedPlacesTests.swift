import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

@Suite("Queues whose directories have moved")
struct MovedPlacesTests {
    private static let content = [UInt8](repeating: 7, count: 1_000_000)

    /// A manager in a directory below the memory's own, like an app's container.
    private func memory(in container: String, _ memory: MemoryManager) -> MemoryManager {
        var memory = memory
        memory.configuration.store = memory.directory.filePath("\(container)/queue.sqlite")
        memory.engine = MemoryEngine { request, number in
            var reply = MemoryEngine.Reply.honest(Self.content, request.range)
            // The first run of the second file fails halfway.
            if request.url.hasSuffix("lost"), container == "old" {
                reply.body = Array(reply.body.prefix(reply.body.count / 2))
                reply.error = EngineError(kind: .lost, message: "the connection was lost")
            }
            return reply
        }
        memory.configuration.downloads.segments = .fixed(1)
        memory.configuration.downloads.retry.retries = 0
        memory.configuration.retry.retries = 0
        return memory
    }

    @Test("the directory of the store moves with its content: bytes on the disk count")
    func container() async throws {
        let plain = try MemoryManager()
        try plain.directory.makeDirectory("old")
        let files = plain.directory.filePath("old/files")
        let before = memory(in: "old", plain)
        let (complete, lost) = try await before.run { manager in
            let complete = try await manager.add(DownloadRequest("http://host/file", to: .directory(files)))
                .id
            let lost = try await manager.add(DownloadRequest("http://host/lost", to: .directory(files))).id
            try await manager.waitUntilIdle()
            #expect(await manager.receipt(lost)?.state == .failed)
            return (complete, lost)
        }
        try plain.directory.filePath("old").rename(to: plain.directory.filePath("new"))
        let after = memory(in: "new", plain)
        try await after.run { manager in
            let moved = plain.directory.filePath("new/files")
            let receipt = try #require(await manager.receipt(complete))
            #expect(receipt.path == moved.appending("file"))
            #expect(receipt.destination == .directory(moved))
            let known = try #require(await manager.receipt(lost)).bytesCompleted
            #expect(known > 0)
            try await manager.start(.id(lost))
            #expect(try await manager.result(of: lost).path == moved.appending("lost"))
        }
        #expect(try plain.directory.read("new/files/lost") == Self.content)
        #expect(!plain.directory.names.contains("old"))
        let ranges = after.engine.requests.map(\.range)
        #expect(ranges.allSatisfy { if case .from(let start) = $0 { start > 0 } else { true } })
    }

    @Test("a root of the program moves, and cannot have the queue's name")
    func roots() async throws {
        var memory = try MemoryManager()
        for name in ["a", "b"] { try memory.directory.makeDirectory(name) }
        memory.configuration.runsDownloads = false
        memory.configuration.roots = ["documents": memory.directory.filePath("a")]
        let id = try await memory.run { manager in
            try await manager.add(
                DownloadRequest("http://host/file", to: .file(memory.directory.filePath("a/x/file")))
            ).id
        }
        memory.configuration.roots = ["documents": memory.directory.filePath("b")]
        try await memory.run { manager in
            let path = memory.directory.filePath("b/x/file")
            #expect(await manager.receipt(id)?.destination == .file(path))
        }
        memory.configuration.roots = [":store": memory.directory.filePath("b")]
        await #expect(throws: DownloadError.self) { try await memory.run { _ in } }
    }

    @Test("a directory can be relocated while its downloads run or wait")
    func relocate() async throws {
        let memory = try MemoryManager()
        try await memory.run { manager in
            let old = memory.directory.filePath("f")
            let id = try await manager.add(DownloadRequest("http://host/file", to: .directory(old))).id
            try await manager.result(of: id)
            let other = try await manager.add(
                DownloadRequest("http://host/other", to: .directory(memory.directory.filePath("ff")))
            ).id
            try await manager.result(of: other)
            try memory.directory.filePath("f").rename(to: memory.directory.filePath("g"))
            let moved = try await manager.relocate(from: old, to: memory.directory.filePath("g"))
            #expect(moved.map(\.id) == [id])
            #expect(moved[0].path == memory.directory.filePath("g/file"))
            try await manager.remove(.id(id), withFiles: true)
            #expect(try TemporaryDirectory.names(of: memory.directory.filePath("g").string) == [])
        }
    }
}
