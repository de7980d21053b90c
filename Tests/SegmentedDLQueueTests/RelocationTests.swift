import Foundation
import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

@Suite("Relocations of a queue's downloads", .timeLimit(.minutes(10)))
struct RelocationTests {
    /// A download whose run cannot end before `mayEnd` is sent.
    private struct Running {
        let manager: DownloadManager
        let id: Receipt.ID
        let old: FilePath
        let new: FilePath
        let mayEnd: AsyncEvent

        /// Begins a relocation, and returns when the run was asked to stop.
        func relocation() async -> Task<[Receipt], any Error> {
            let task = Task { [manager, old, new] in try await manager.relocate(from: old, to: new) }
            while await !manager.queue.isStopping(id) { await Task.yield() }
            return task
        }
    }

    /// - Parameter isGate: True if the run still performs its checks.
    private func withRunning(
        isGate: Bool = false, _ body: (Running) async throws -> Void
    ) async throws {
        var memory = try MemoryManager()
        let (hasBegun, mayEnd) = (AsyncEvent(), AsyncEvent())
        let isFirst = OnceFlag()
        let wait: @Sendable () async -> Void = {
            guard isFirst.raise() else { return }
            hasBegun.send()
            // A task of its own does not end when the run is cancelled.
            await Task { _ = await mayEnd.wait() }.value
        }
        if isGate {
            memory.configuration.mayStart = { _, _ in
                await wait()
                return .start
            }
        } else {
            memory.configuration.authorize = { _, _ in
                await wait()
                return nil
            }
        }
        let old = memory.files
        try await memory.run { [directory = memory.directory] manager in
            let id = try await manager.add(DownloadRequest("http://host/file", to: .directory(old))).id
            await hasBegun.wait()
            // Otherwise the shutdown after a failed test would wait for the run.
            defer { mayEnd.send() }
            try await body(
                Running(
                    manager: manager, id: id, old: old, new: directory.filePath("new"), mayEnd: mayEnd))
        }
    }

    @Test("a cancellation before the call leaves everything as it was")
    func cancelledBefore() async throws {
        try await withRunning { running in
            let task = Task { [manager = running.manager, old = running.old, new = running.new] in
                withUnsafeCurrentTask { $0?.cancel() }
                return try await manager.relocate(from: old, to: new)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            running.mayEnd.send()
            let receipt = try await running.manager.result(of: running.id)
            #expect(receipt.path == running.old.appending("file") && receipt.attempts == 1)
        }
    }

    @Test(
        "a later cancellation has no effect, and no download is paused meanwhile", arguments: [false, true])
    func cancelledMeanwhile(isGate: Bool) async throws {
        try await withRunning(isGate: isGate) { running in
            let events = running.manager.events()
            let task = await running.relocation()
            task.cancel()
            running.mayEnd.send()
            let moved = try await task.value
            #expect(moved.map(\.destination) == [.directory(running.new)])
            let receipt = try await running.manager.result(of: running.id)
            #expect(receipt.path == running.new.appending("file"))
            try await running.manager.shutdown()
            for await case .changed(let receipt, _) in events { #expect(receipt.state != .paused) }
        }
    }

    @Test("a download that is paused meanwhile remains paused")
    func pausedMeanwhile() async throws {
        try await withRunning { running in
            let task = await running.relocation()
            let pause = Task { [manager = running.manager, id = running.id] in
                try await manager.pause(.id(id))
            }
            while await running.manager.queue.intent(of: running.id) != .pause { await Task.yield() }
            running.mayEnd.send()
            _ = try await (task.value, pause.value)
            let receipt = try #require(await running.manager.receipt(running.id))
            #expect(receipt.state == .paused)
            #expect(receipt.destination == .directory(running.new))
        }
    }

    @Test("a shutdown meanwhile leaves the download as before, and ready to run")
    func shutdownMeanwhile() async throws {
        try await withRunning { running in
            let task = await running.relocation()
            let shutdown = Task { [manager = running.manager] in try await manager.shutdown() }
            while await !running.manager.isShutDown { await Task.yield() }
            running.mayEnd.send()
            try await shutdown.value
            let error = await #expect(throws: DownloadError.self) { try await task.value }
            #expect(error?.code == .shutDown)
            let receipt = try #require(await running.manager.receipt(running.id))
            #expect(receipt.state != .paused)
            #expect(receipt.destination == .directory(running.old))
        }
    }

    @Test("a queue is not idle while downloads are moved, none begins, and all begin afterwards")
    func state() throws {
        var queue = QueueState(limits: Limits())
        let now = Date(timeIntervalSince1970: 0)
        var ids: [Receipt.ID] = []
        for _ in 0..<2 {
            let id = queue.makeID()
            ids.append(id)
            _ = queue.add(
                QueueRecord(
                    id: id, source: try Source("http://host/\(id)"), destination: .directory("/old"),
                    added: now))
        }
        queue.admit([ids[0]])
        _ = queue.reschedule(now: now)
        queue.admit([ids[1]])
        let stops = queue.beginMove(ids)
        #expect(stops == [.stop(ids[0])])
        let again = queue.beginMove(ids)
        #expect(again == [])
        _ = queue.ended(ids[0], run: 1, .stopped, now: now, jitter: 0)
        // As a kill at this moment would leave it.
        #expect(queue.records.state(of: ids[0]) == .queued)
        #expect(queue.activeRuns == 0 && !queue.isIdle)
        for id in ids { _ = queue.relocate(id, Move(old: "/old", new: "/new")) }
        queue.endMove(ids)
        _ = queue.reschedule(now: now)
        #expect(queue.activeRuns == 0 && !queue.isIdle)
        queue.endMove(ids)
        _ = queue.reschedule(now: now)
        #expect(queue.running == ids)
        #expect(ids.allSatisfy { queue.records[$0]?.destination == .directory("/new") })
    }
}
