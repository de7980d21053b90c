import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

@Suite("A queue in memory")
struct MemoryStoreTests {
    @Test("downloads, accepts operations, and leaves only files on the disk")
    func works() async throws {
        var memory = try MemoryManager()
        memory.configuration.store = ManagerConfiguration.inMemory.store
        try await memory.run { [files = memory.files] manager in
            var paused = QueueEntry(try DownloadRequest("http://host/b", to: .directory(files)))
            paused.startsPaused = true
            let first = try await manager.add(DownloadRequest("http://host/a", to: .directory(files)))
            let second = try await manager.add(paused)
            try await manager.waitUntilIdle()
            #expect(await manager.receipts.map(\.state) == [.completed, .paused])
            #expect(
                try await manager.receipts(.ids([second.id, first.id])).map(\.id) == [second.id, first.id])
            try await manager.remove(.id(first.id))
            #expect(await manager.receipt(first.id) == nil)
            #expect(await manager.lastID == second.id)
        }
        #expect(memory.directory.names == ["f"])
        #expect(try memory.directory.read("f/a") == [1, 2, 3])
        #expect(!FilePath(":memory:").isThere)
    }

    @Test("two of them are independent, and the next one is empty")
    func separate() async throws {
        var memory = try MemoryManager()
        memory.configuration.store = ":memory:"
        try await memory.run { [memory] manager in
            try await manager.add(DownloadRequest("http://host/a", to: .directory(memory.files)))
            try await memory.run { other in
                #expect(await other.receipts.isEmpty)
                #expect(await manager.receipts.count == 1)
            }
        }
        try await memory.run { #expect(await $0.receipts.isEmpty) }
    }

    @Test("more downloads than receipts fit in memory are all kept")
    func many() async throws {
        var memory = try MemoryManager()
        memory.configuration.store = ":memory:"
        memory.configuration.receiptsInMemory = 1
        memory.configuration.runsDownloads = false
        try await memory.run { [files = memory.files] manager in
            let entries = try (0..<300).map {
                QueueEntry(try DownloadRequest("http://host/\($0)", to: .directory(files)))
            }
            _ = try await manager.add(entries)
            #expect(await manager.receipts.count == 300)
        }
    }
}

extension FilePath {
    fileprivate var isThere: Bool { (try? SystemCalls.status(self)) != nil }
}
