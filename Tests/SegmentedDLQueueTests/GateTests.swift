import Foundation
import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

@Suite("Downloads held by a condition", .timeLimit(.minutes(10)))
struct GateTests {
    private func add(_ name: String, _ memory: MemoryManager, to manager: DownloadManager) async throws
        -> Receipt.ID
    {
        try await manager.add(DownloadRequest("http://host/\(name)", to: .directory(memory.files))).id
    }

    @Test("a signal starts a held one, without an attempt or a retry; the queue is not idle meanwhile")
    func signal() async throws {
        var memory = try MemoryManager()
        let isOpen = Lock(false)
        memory.configuration.downloads.limits.activeFiles = 1
        memory.configuration.mayStart = { receipt, _ in
            isOpen.withLock { $0 } || receipt.source.url.hasSuffix("free")
                ? .start : .waitForSignal("no Wi-Fi")
        }
        let engine = memory.engine
        try await memory.run { manager in
            let events = manager.events()
            let held = try await add("file", memory, to: manager)
            let free = try await add("free", memory, to: manager)
            // The next one gets its turn.
            #expect(try await manager.result(of: free).state == .completed)
            let receipt = try #require(await manager.receipt(held))
            #expect(receipt.state == .queued)
            #expect(receipt.hold == Receipt.Hold(.gate, message: "no Wi-Fi"))
            #expect(receipt.attempts == 0 && receipt.started == nil)
            let count = engine.requests.count
            #expect(await manager.queue.isIdle == false)
            isOpen.withLock { $0 = true }
            try await manager.reconsider()
            let complete = try await manager.result(of: held)
            #expect(complete.attempts == 1 && complete.hold == nil)
            #expect(engine.requests.count > count)
            try await manager.shutdown()
            var isSeen = false
            for await case .held(let receipt) in events where receipt.id == held { isSeen = true }
            #expect(isSeen)
        }
    }

    @Test("the path of a named file is known while it is held, and that of another one is not")
    func path() async throws {
        var memory = try MemoryManager()
        memory.configuration.mayStart = { _, _ in .waitForSignal() }
        try await memory.run { manager in
            let path = memory.files.appending("named.bin")
            let named = try await manager.add(DownloadRequest("http://host/a", to: .file(path))).id
            let other = try await add("b", memory, to: manager)
            try await manager.wait(on: other) { $0.holds[other] != nil && $0.holds[named] != nil }
            let receipt = try #require(await manager.receipt(named))
            #expect(receipt.hold != nil && receipt.path == path && receipt.claimedPath == nil)
            #expect(receipt.fileURL?.lastPathComponent == "named.bin")
            #expect(await manager.receipt(other)?.path == nil)
        }
    }

    @Test("a time repeats the decision; pause and remove end the wait, and start decides at once")
    func time() async throws {
        var memory = try MemoryManager()
        let calls = Lock(0)
        memory.configuration.mayStart = { receipt, _ in
            guard receipt.source.url.hasSuffix("soon") else { return .wait(for: .seconds(3600)) }
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            return call < 3 ? .wait(for: .zero) : .start
        }
        try await memory.run { manager in
            let soon = try await add("soon", memory, to: manager)
            #expect(try await manager.result(of: soon).attempts == 1)
            #expect(calls.withLock { $0 } == 3)
            let late = try await add("late", memory, to: manager)
            try await manager.wait(on: late) { $0.holds[late] != nil }
            #expect(await manager.receipt(late)?.hold?.until != nil)
            try await manager.start(.id(late))
            try await manager.wait(on: late) { $0.holds[late] != nil }
            try await manager.pause(.id(late))
            #expect(await manager.receipt(late)?.state == .paused)
            #expect(await manager.receipt(late)?.hold == nil)
            try await manager.resume(.id(late))
            try await manager.wait(on: late) { $0.holds[late] != nil }
            try await manager.remove(.id(late))
            try await manager.waitUntilIdle()
        }
    }

    @Test("a time that no clock can represent holds a download without a crash")
    func longest() async throws {
        #expect(Gate.wait(for: .seconds(Int64.max)) == .wait(for: .seconds(50 * 365 * 86_400)))
        var memory = try MemoryManager()
        memory.configuration.mayStart = { receipt, _ in
            receipt.source.url.hasSuffix("free") ? .start : .wait(for: .seconds(Int64.max))
        }
        try await memory.run { manager in
            let held = try await add("file", memory, to: manager)
            try await manager.wait(on: held) { $0.holds[held] != nil }
            let free = try await add("free", memory, to: manager)
            try await manager.result(of: free)
            #expect(await manager.receipt(held)?.hold?.until != nil)
        }
    }

    @Test("a failing gate is named")
    func failure() async throws {
        struct Mine: Error {}
        var memory = try MemoryManager()
        memory.configuration.mayStart = { _, _ in throw Mine() }
        try await memory.run { manager in
            let id = try await add("file", memory, to: manager)
            let error = await #expect(throws: DownloadError.self) { try await manager.result(of: id) }
            #expect(error?.code == .closureFailed)
        }
    }

    @Test("one without enough space waits, and says so; the length is included from the start")
    func space() async throws {
        var memory = try MemoryManager()
        memory.configuration.reservedSpace = 0
        try await memory.run { manager in
            var request = try DownloadRequest("http://host/huge", to: .directory(memory.files))
            request.expectedLength = 1 << 60
            let huge = try await manager.add(request).id
            #expect(await manager.progress.bytesTotal == 1 << 60)
            #expect(await manager.progress.unknownLengths == 0)
            try await manager.wait(on: huge) { $0.holds[huge] != nil }
            let hold = try #require(await manager.receipt(huge)?.hold)
            #expect(hold.reason == .space && hold.until != nil)
            #expect(try await manager.missingSpace() > 0)
            // Smaller downloads fit.
            let small = try await add("file", memory, to: manager)
            try await manager.result(of: small)
            try await manager.remove(.id(huge))
            #expect(try await manager.missingSpace() == 0)
        }
        #expect(memory.engine.requests.allSatisfy { $0.url == "http://host/file" })
    }

    @Test("a full disk holds a download, and costs no retries")
    func full() async throws {
        var memory = try MemoryManager()
        memory.configuration.reservedSpace = 0
        memory.configuration.chooseDestination = { _, _, _ in
            throw DownloadError(.diskFull, "The disk is full.", isRetryable: true)
        }
        try await memory.run { manager in
            let id = try await add("file", memory, to: manager)
            try await manager.wait(on: id) { $0.holds[id] != nil }
            #expect(await manager.receipt(id)?.hold?.reason == .space)
            #expect(await manager.queue.records[id]?.failures == 0)
            // The server has stated the length, so that the missing space can be calculated.
            #expect(await manager.receipt(id)?.bytesTotal == 3)
        }
    }

    @Test("the reason for a lack of space includes what other downloads are about to use")
    func claims() async throws {
        var memory = try MemoryManager()
        let (hasBegun, mayContinue) = (AsyncEvent(), AsyncEvent())
        memory.configuration.reservedSpace = 7
        memory.configuration.chooseDestination = { _, _, _ in
            hasBegun.send()
            await mayContinue.wait()
            return nil
        }
        try await memory.run { manager in
            var request = try DownloadRequest("http://host/file", to: .directory(memory.files))
            request.expectedLength = 3
            let small = try await manager.add(request).id
            await hasBegun.wait()
            request = try DownloadRequest("http://host/huge", to: .directory(memory.files))
            request.expectedLength = 1 << 60
            let huge = try await manager.add(request).id
            try await manager.wait(on: huge) { $0.holds[huge] != nil }
            let message = try #require(await manager.receipt(huge)?.hold?.message)
            let demand = "\(1 << 60) are needed, other downloads are about to use 3, and 7 must remain free."
            #expect(message.hasSuffix(demand))
            mayContinue.send()
            try await manager.result(of: small)
        }
    }

    @Test("an expected length is checked")
    func expectedLength() async throws {
        let memory = try MemoryManager()
        try await memory.run { manager in
            var request = try DownloadRequest("http://host/file", to: .directory(memory.files))
            request.expectedLength = 4
            let id = try await manager.add(request).id
            let error = await #expect(throws: DownloadError.self) { try await manager.result(of: id) }
            #expect(error?.code == .lengthMismatch)
            request.expectedLength = -1
            await #expect(throws: DownloadError.self) { try await manager.add(QueueEntry(request, key: "k")) }
        }
    }

    @Test("a file can be queried without a download")
    func inspection() async throws {
        let memory = try MemoryManager()
        let downloader = Downloader(configuration: memory.configuration.downloads, engine: memory.engine)
        let file = try await downloader.inspect(
            DownloadRequest("http://host/a%20b.txt", to: .directory(memory.files)))
        #expect(file.length == 3)
        #expect(file.name == "a b.txt")
        #expect(file.isResumable)
        #expect(memory.directory.names.isEmpty)
    }

    @Test("a query and a listing after a shutdown have the error of a download, and a cancelled one its own")
    func inspectionAfterShutdown() async throws {
        let request = try DownloadRequest("http://127.0.0.1:1/file", to: .directory("/tmp"))
        let manager = try await DownloadManager(.inMemory)
        try await manager.shutdown()
        let downloader = try Downloader()
        await downloader.shutdown()
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await manager.inspect(request) },
            { _ = try await downloader.inspect(request) },
            { _ = try await downloader.download(request) },
            {
                _ = try await downloader.document(at: request.source, access: MirrorAccess(), maximumBytes: 1)
            },
        ]
        for call in calls {
            let error = await #expect(throws: DownloadError.self) { try await call() }
            #expect(error?.code == .shutDown)
        }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await downloader.inspect(request)
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }
}
