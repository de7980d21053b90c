import Testing

@testable import SegmentedDL

@Suite("The queue of files")
struct FileQueueTests {
    private func drain(_ queue: inout FileQueue, _ order: QueueOrder) -> [Int] {
        var taken: [Int] = []
        while let next = queue.takeNext(order) { taken.append(next.file) }
        return taken
    }

    private func queue(_ files: [(Int, Int)]) -> FileQueue {
        var queue = FileQueue()
        for (file, priority) in files { queue.append(file, priority: priority) }
        return queue
    }

    @Test("an empty queue has nothing")
    func empty() {
        var queue = FileQueue()
        #expect(drain(&queue, .fifo).isEmpty)
        #expect(drain(&queue, .lifo).isEmpty)
    }

    @Test("the oldest or the newest comes first, as configured")
    func order() {
        var fifo = queue([(1, 0), (2, 0), (3, 0)])
        #expect(drain(&fifo, .fifo) == [1, 2, 3])
        var lifo = queue([(1, 0), (2, 0), (3, 0)])
        #expect(drain(&lifo, .lifo) == [3, 2, 1])
    }

    @Test("a higher priority comes first, in either order")
    func priority() {
        let files = [(1, 0), (2, 5), (3, -5), (4, 5), (5, 0)]
        var fifo = queue(files)
        #expect(drain(&fifo, .fifo) == [2, 4, 1, 5, 3])
        var lifo = queue(files)
        #expect(drain(&lifo, .lifo) == [4, 2, 5, 1, 3])
    }

    @Test("a removed file is skipped")
    func removed() {
        var queue = queue([(1, 0), (2, 0), (3, 0)])
        queue.remove(2)
        queue.remove(2)
        queue.remove(99)
        #expect(drain(&queue, .fifo) == [1, 3])
    }

    @Test("the order may change between two takes")
    func mixed() {
        var queue = queue([(1, 0), (2, 0), (3, 0), (4, 0)])
        let taken = [queue.takeNext(.fifo)?.file, queue.takeNext(.lifo)?.file, queue.takeNext(.fifo)?.file]
        #expect(taken == [1, 4, 2])
    }

    @Test("the priority is returned with the file")
    func keepsPriority() {
        var queue = queue([(7, 42)])
        let next = queue.takeNext(.fifo)
        #expect(next?.file == 7)
        #expect(next?.priority == 42)
    }

    @Test("a hundred thousand files are returned in order, each once")
    func many() {
        var queue = FileQueue()
        for file in 0..<100_000 { queue.append(file, priority: file % 3) }
        for file in stride(from: 0, to: 100_000, by: 2) { queue.remove(file) }
        let taken = drain(&queue, .fifo)
        #expect(taken.count == 50_000)
        #expect(Set(taken).count == 50_000)
        #expect(taken.allSatisfy { $0 % 2 == 1 })
        #expect(taken.map { $0 % 3 } == taken.map { $0 % 3 }.sorted(by: >))
    }
}
