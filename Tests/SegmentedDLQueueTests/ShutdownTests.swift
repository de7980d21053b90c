import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

@Suite("The events and streams of a queue at its shutdown", .timeLimit(.minutes(10)))
struct ShutdownTests {
    private struct Mine: Error {}

    @Test(
        "end with the running downloads queued, as in the store, even if a closure fails",
        arguments: [false, true])
    func interrupted(fails: Bool) async throws {
        var memory = try MemoryManager()
        let hasBegun = AsyncEvent()
        let delivered = Lock<[DownloadState]>([])
        memory.configuration.authorize = { _, _ in
            hasBegun.send()
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                if fails { throw Mine() }
                throw error
            }
            return nil
        }
        memory.configuration.onEvent = { event, _ in
            guard case .changed(let receipt, _) = event else { return }
            delivered.withLock { $0.append(receipt.state) }
        }
        try await memory.run { manager in
            let events = manager.events()
            let id = try await manager.add(
                DownloadRequest("http://host/file", to: .directory(memory.files))
            ).id
            await hasBegun.wait()
            // The end of a stream does not wait for its interval.
            let last = Task {
                var last: DownloadState?
                for await receipt in manager.progress(of: id, every: .seconds(3600)) { last = receipt.state }
                return last
            }
            let counts = Task {
                var last = QueueProgress()
                for await progress in manager.progress(every: .seconds(3600)) { last = progress }
                return last.counts
            }
            try await manager.shutdown()
            #expect(await last.value == .queued)
            #expect(await counts.value == [.queued: 1])
            var states: [DownloadState] = []
            for await case .changed(let receipt, _) in events { states.append(receipt.state) }
            #expect(states == [.probing, .queued])
            #expect(await manager.receipt(id)?.state == .queued)
        }
        #expect(delivered.withLock { $0 } == [.probing, .queued])
        let stored = try DownloadManager.receipts(inStoreAt: memory.configuration.store)
        #expect(stored.map(\.state) == [.queued])
    }
}
