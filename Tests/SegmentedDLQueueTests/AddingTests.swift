import SegmentedDL
import Testing

@testable import SegmentedDLQueue

@Suite("Adding to a queue that is changed concurrently")
struct AddingTests {
    @Test("a decision based on an outdated list is not applied")
    func outdated() async throws {
        var memory = try MemoryManager()
        memory.configuration.runsDownloads = false
        try await memory.run { manager in
            let request = try DownloadRequest("http://host/file", to: .directory(memory.files))
            let first = try await manager.add(QueueEntry(request, key: "a"), known: [])
            await #expect(throws: StaleSnapshot.self) {
                try await manager.add(QueueEntry(request, key: "b"), known: [])
            }
            #expect(await manager.ids(from: request.source) == [first.id])
            let second = try await manager.add(QueueEntry(request, key: "b"), known: [first.id])
            #expect(await manager.ids(from: request.source) == [first.id, second.id])
        }
    }

    @Test("changes of the queue take effect in a cancelled task")
    func cancelled() async throws {
        var memory = try MemoryManager()
        memory.configuration.runsDownloads = false
        try await memory.run { [files = memory.files] manager in
            let changes = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                let id = try await manager.add(DownloadRequest("http://host/file", to: .directory(files))).id
                try await manager.pause(.id(id))
                try await manager.change(id) { $0.request.rate = 1_000_000 }
                return id
            }
            let id = try await changes.value
            #expect(await manager.receipt(id)?.state == .paused)
            #expect(await manager.request(of: id)?.rate == 1_000_000)
        }
    }

    @Test("an empty completion action is refused")
    func emptyAction() async throws {
        var memory = try MemoryManager()
        memory.configuration.runsDownloads = false
        try await memory.run { manager in
            let request = try DownloadRequest("http://host/file", to: .directory(memory.files))
            let error = await #expect(throws: DownloadError.self) {
                try await manager.add(QueueEntry(request, onComplete: ""))
            }
            #expect(error?.code == .invalidSetting && error?.recoverySuggestion != nil)
            #expect(await manager.receipts.isEmpty)
        }
    }

    @Test("a number that no download had is not reported as removed")
    func unknownNumber() async throws {
        var memory = try MemoryManager()
        memory.configuration.runsDownloads = false
        try await memory.run { manager in
            let request = try DownloadRequest("http://host/file", to: .directory(memory.files))
            let id = try await manager.add(request).id
            try await manager.remove(.id(id))
            for (number, text) in [(id, "was removed"), (Receipt.ID(rawValue: 77), "has no download")] {
                let error = await #expect(throws: DownloadError.self) {
                    try await manager.result(of: number)
                }
                #expect(error?.code == .notFound && error?.message.contains(text) == true)
            }
        }
    }

    @Test("a failure in a queue suggests to retry it, and not to run a command again")
    func words() {
        let error = DownloadError(
            .diskFull, "Cannot write 'x': no space left on device; make room and run it again to resume.")
        #expect(
            Receipt.Failure(error).message
                == "Cannot write 'x': no space left on device; make room and retry it to resume.")
    }
}
