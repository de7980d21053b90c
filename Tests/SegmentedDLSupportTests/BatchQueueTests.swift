import Dispatch
import SegmentedDLSupport
import Testing

@Suite("A queue that processes its items in batches", .timeLimit(.minutes(10)))
struct BatchQueueTests {
    private struct Refused: Error {}

    /// Batches as they came, and how many of them still fail.
    private final class Record: Sendable {
        private let state = Lock((batches: [[Int]](), failures: 0))

        init(failures: Int = 0) {
            state.withLock { $0.failures = failures }
        }

        var batches: [[Int]] { state.withLock { $0.batches } }

        func process(_ batch: [Int]) throws {
            try state.withLock { state in
                state.batches.append(batch)
                guard state.failures > 0 else { return }
                state.failures -= 1
                throw Refused()
            }
        }
    }

    /// Holds the queue's thread until `open` is signalled, so that what is added meanwhile is one batch.
    private func hold(_ queue: BatchQueue<Int>, until open: DispatchSemaphore) async {
        await withCheckedContinuation { held in
            Task {
                await queue.runBetweenBatches {
                    held.resume()
                    open.wait()
                }
            }
        }
    }

    @Test("items that are added together form one batch")
    func together() async throws {
        let record = Record()
        let queue = BatchQueue<Int>(label: "test", process: record.process)
        #expect(queue.add(contentsOf: Array(1...100)) == 100)
        #expect(queue.add(contentsOf: []) == 100)
        try await queue.flush()
        #expect(record.batches == [Array(1...100)])
        #expect(queue.processed == 100)
    }

    @Test("items that arrive while a batch is processed form the next batch, in order")
    func batches() async throws {
        let record = Record()
        let queue = BatchQueue<Int>(label: "test", process: record.process)
        let open = DispatchSemaphore(value: 0)
        await hold(queue, until: open)
        let numbers = (10..<15).map { queue.add($0) }
        #expect(numbers == [1, 2, 3, 4, 5])
        #expect(queue.count == 5)
        #expect(queue.processed == 0)
        open.signal()
        try await queue.flush()
        #expect(record.batches == [[10, 11, 12, 13, 14]])
        #expect(queue.count == 0)
        #expect(queue.processed == 5)
        try await queue.addAndWait(15)
        #expect(record.batches.last == [15])
    }

    @Test("without items nothing is called")
    func empty() async throws {
        let record = Record()
        let queue = BatchQueue<Int>(label: "test", process: record.process)
        try await queue.flush()
        try queue.flushBlocking()
        #expect(record.batches.isEmpty)
    }

    @Test("a failed batch is compacted and precedes the next one")
    func failure() async throws {
        let record = Record(failures: 1)
        let queue = BatchQueue<Int>(
            label: "test", threshold: 3, compact: { [$0.reduce(0, +)] }, process: record.process)
        queue.add(1)
        queue.add(2)
        await #expect(throws: Refused.self) { try await queue.flush() }
        #expect(queue.processed == 0)
        #expect(queue.count == 1)
        try await queue.addAndWait(7)
        #expect(record.batches == [[1, 2], [3, 7]])
        #expect(queue.processed == 3)
    }

    @Test("below the threshold items wait until a task waits for them")
    func threshold() async throws {
        let record = Record()
        let queue = BatchQueue<Int>(label: "test", threshold: 10, weigh: { $0 }, process: record.process)
        queue.add(4)
        queue.add(5)
        await queue.runBetweenBatches {}
        #expect(record.batches.isEmpty)
        queue.add(1)
        await queue.runBetweenBatches {}
        #expect(record.batches == [[4, 5, 1]])
        queue.add(2)
        try queue.flushBlocking()
        #expect(record.batches == [[4, 5, 1], [2]])
    }

    @Test("items of many tasks are each processed once")
    func concurrent() async throws {
        let record = Record()
        let queue = BatchQueue<Int>(label: "test", process: record.process)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { try await queue.addAndWait(number) }
            }
            try await group.waitForAll()
        }
        #expect(record.batches.flatMap { $0 }.sorted() == Array(0..<200))
        #expect(queue.processed == 200)
    }
}
