import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

@Suite("Events and managers from the opening of a queue on", .timeLimit(.minutes(10)))
struct OpeningTests {
    /// Returns a queue with a waiting download, as left by an earlier process.
    private func left() async throws -> MemoryManager {
        var memory = try MemoryManager()
        memory.configuration.runsDownloads = false
        _ = try await memory.run { manager in
            try await manager.add(DownloadRequest("http://host/file", to: .directory(memory.files)))
        }
        memory.configuration.runsDownloads = true
        return memory
    }

    private static let steps: [DownloadState] = [.probing, .downloading, .finalizing, .completed]

    @Test("a closure receives the first step of a restored download, and the manager")
    func closure() async throws {
        var memory = try await left()
        let seen = Lock<[DownloadState]>([])
        memory.configuration.onEvent = { event, manager in
            guard case .changed(let receipt, _) = event else { return }
            let isThere = await manager.receipt(receipt.id) != nil
            if isThere { seen.withLock { $0.append(receipt.state) } }
        }
        try await memory.run { try await $0.waitUntilIdle() }
        // The shutdown has waited for them.
        #expect(seen.withLock { $0 } == Self.steps)
    }

    @Test("the directory of the store is created if missing, and a file in its place is an error")
    func directory() async throws {
        var memory = try MemoryManager()
        memory.configuration.store = memory.directory.filePath("new/inner/queue.sqlite")
        let id = try await memory.run { manager in
            try await manager.add(DownloadRequest("http://host/file", to: .directory(memory.files))).id
        }
        try await memory.run { #expect(await $0.receipt(id) != nil) }
        memory.configuration.store = memory.configuration.store.appending("inner.sqlite")
        let error = await #expect(throws: DownloadError.self) { try await memory.run { _ in } }
        #expect(error?.code == .badPath)
    }

    @Test("a stream passed at the opening receives it, too, and ends with the manager")
    func stream() async throws {
        let memory = try await left()
        let (events, sender) = AsyncStream.makeStream(of: QueueEvent.self)
        let manager = try await DownloadManager(
            memory.configuration,
            downloader: Downloader(configuration: memory.configuration.downloads, engine: memory.engine),
            events: sender)
        try await manager.waitUntilIdle()
        try await manager.shutdown()
        var seen: [DownloadState] = []
        for await case .changed(let receipt, _) in events { seen.append(receipt.state) }
        #expect(seen == Self.steps)
    }

    @Test("reading a queue that does not exist creates no file")
    func readingNothing() throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: DownloadError.self) {
            try DownloadManager.receipts(inStoreAt: directory.filePath("queue.sqlite"))
        }
        #expect(error?.code == .badPath && error?.message.contains("does not exist") == true)
        #expect(directory.names.isEmpty)
    }

    @Test("settings that have no effect, or an unintended one, are refused")
    func settings() async throws {
        let changes: [@Sendable (inout ManagerConfiguration) -> Void] = [
            { $0.store = "" }, { $0.downloads.incompleteDirectory = "" }, { $0.roots = ["documents": ""] },
            { $0.roots = ["documents": "relative"] }, { $0.receiptsInMemory = -5 }, { $0.reservedSpace = -1 },
        ]
        for change in changes {
            var memory = try MemoryManager()
            change(&memory.configuration)
            let error = await #expect(throws: DownloadError.self) { try await memory.run { _ in } }
            #expect(error?.code == .invalidSetting)
        }
        try await MemoryManager().run { manager in
            for (old, new) in [("", "/new"), ("/old", "")] as [(FilePath, FilePath)] {
                await #expect(throws: DownloadError.self) { try await manager.relocate(from: old, to: new) }
            }
        }
    }

    @Test("the manager of a store is found until it is shut down, and a second one is refused with its name")
    func found() async throws {
        let memory = try MemoryManager()
        let store = memory.configuration.store
        try await memory.run { manager in
            #expect(DownloadManager.openManager(storeAt: store) === manager)
            let error = await #expect(throws: DownloadError.self) {
                _ = try await DownloadManager(memory.configuration)
            }
            #expect(error?.code == .locked)
            #expect(error?.message.contains("openManager") == true)
        }
        #expect(DownloadManager.openManager(storeAt: store) == nil)
    }

    @Test("one that is released while it runs is found, and completes its downloads")
    func letGoRunning() async throws {
        var memory = try MemoryManager()
        let (hasBegun, mayContinue) = (AsyncEvent(), AsyncEvent())
        memory.configuration.authorize = { _, _ in
            hasBegun.send()
            await mayContinue.wait()
            return nil
        }
        var manager: DownloadManager? = try await DownloadManager(
            memory.configuration,
            downloader: Downloader(configuration: memory.configuration.downloads, engine: memory.engine))
        let added = try await manager?.add(
            DownloadRequest("http://host/file", to: .directory(memory.files)))
        await hasBegun.wait()
        manager = nil
        let found = try #require(DownloadManager.openManager(storeAt: memory.configuration.store))
        mayContinue.send()
        let id = try #require(added).id
        #expect(try await found.result(of: id).state == .completed)
        try await found.shutdown()
    }

    @Test("one that is released while a download waits for a time begins it then", arguments: [false, true])
    func letGoWaiting(isGate: Bool) async throws {
        var memory = try MemoryManager()
        let (waits, isComplete) = (AsyncEvent(), AsyncEvent())
        if isGate {
            let isHeld = OnceFlag()
            memory.configuration.mayStart = { _, _ in isHeld.raise() ? .wait(for: .seconds(2)) : .start }
        } else {
            memory.configuration.downloads.retry.retries = 0
            memory.configuration.retry.delay = .seconds(4)
            memory.engine = MemoryEngine { request, number in
                number == 1 ? .init(head: ResponseHead(status: 503)) : .honest([1, 2, 3], request.range)
            }
        }
        memory.configuration.onEvent = { event, _ in
            switch event {
            case .held: waits.send()
            case .changed(let receipt, _) where receipt.state == .retrying: waits.send()
            case .changed(let receipt, _) where receipt.state == .completed: isComplete.send()
            default: break
            }
        }
        var manager: DownloadManager? = try await DownloadManager(
            memory.configuration,
            downloader: Downloader(configuration: memory.configuration.downloads, engine: memory.engine))
        _ = try await manager?.add(DownloadRequest("http://host/file", to: .directory(memory.files)))
        await waits.wait()
        manager = nil
        #expect(await isComplete.wait())
        #expect(try memory.directory.read("f/file") == [1, 2, 3])
    }

    @Test("one that is released delivers the events that its closure has not yet received")
    func letGoBehindEvents() async throws {
        var memory = try MemoryManager()
        let seen = Lock<[DownloadState]>([])
        let (mayContinue, isComplete) = (AsyncEvent(), AsyncEvent())
        memory.configuration.onEvent = { event, _ in
            guard case .changed(let receipt, _) = event else { return }
            seen.withLock { $0.append(receipt.state) }
            if receipt.state == .probing { await mayContinue.wait() }
            if receipt.state == .completed { isComplete.send() }
        }
        var manager: DownloadManager? = try await DownloadManager(
            memory.configuration,
            downloader: Downloader(configuration: memory.configuration.downloads, engine: memory.engine))
        let added = try await manager?.add(
            DownloadRequest("http://host/file", to: .directory(memory.files)))
        let id = try #require(added).id
        #expect(try await manager?.result(of: id).state == .completed)
        // It keeps the manager for up to a second.
        while await manager?.bookkeeper != nil { await Task.yield() }
        manager = nil
        mayContinue.send()
        #expect(await isComplete.wait())
        #expect(seen.withLock { $0 } == Self.steps)
    }

    @Test("one that is released ends its streams")
    func letGo() async throws {
        let memory = try MemoryManager()
        var manager: DownloadManager? = try await DownloadManager(
            memory.configuration,
            downloader: Downloader(configuration: memory.configuration.downloads, engine: memory.engine))
        let events = try #require(manager).events()
        manager = nil
        for await _ in events {}
        #expect(DownloadManager.openManager(storeAt: memory.configuration.store) == nil)
    }
}
