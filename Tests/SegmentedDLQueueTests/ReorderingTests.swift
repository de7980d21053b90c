import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

@Suite("Moves of many downloads", .timeLimit(.minutes(10)))
struct ReorderingTests {
    @Test("send one event, because observers then read the whole queue")
    func oneEvent() async throws {
        var memory = try MemoryManager()
        memory.configuration.runsDownloads = false
        try await memory.run { manager in
            let entries = try (0..<DownloadManager.batch * 2 + 1).map { number in
                QueueEntry(try DownloadRequest("http://host/\(number)", to: .directory(memory.files)))
            }
            let ids = try await manager.add(entries).map { try $0.get().id }
            let events = manager.events()
            try await manager.moveToBack(.ids(Array(ids.dropLast())))
            #expect(await manager.receipts.map(\.id) == [ids[ids.count - 1]] + ids.dropLast())
            try await manager.shutdown()
            var received: [QueueEvent] = []
            for await event in events { received.append(event) }
            #expect(received == [.reordered])
        }
    }
}
