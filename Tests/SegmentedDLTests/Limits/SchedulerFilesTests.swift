import Testing

@testable import SegmentedDL

@Suite("The active files")
struct SchedulerFilesTests {
    @Test("as many files start as the cap allows")
    func cap() {
        let scheduler = SchedulerDriver(files: 2)
        #expect(!scheduler.state.hasOneFile)
        #expect(scheduler.submit(1) == [.start(1)])
        #expect(scheduler.state.hasOneFile)
        #expect(scheduler.submit(2) == [.start(2)])
        #expect(scheduler.submit(3) == [])
        #expect(scheduler.state.activeFiles == 2 && !scheduler.state.hasOneFile)
        #expect(scheduler.withdraw(1) == [.start(3)])
        #expect(scheduler.withdraw(2) == [])
        #expect(scheduler.withdraw(3) == [])
        #expect(scheduler.state.activeFiles == 0)
    }

    @Test("the oldest starts first, or the newest")
    func order() {
        let fifo = SchedulerDriver(files: 1)
        for file in 1...4 { fifo.submit(file) }
        #expect([1, 2, 3].flatMap { fifo.withdraw($0) } == [.start(2), .start(3), .start(4)])
        let lifo = SchedulerDriver(files: 1, order: .lifo)
        for file in 1...4 { lifo.submit(file) }
        #expect([1, 4, 3].flatMap { lifo.withdraw($0) } == [.start(4), .start(3), .start(2)])
    }

    @Test("a higher priority starts first")
    func priority() {
        let scheduler = SchedulerDriver(files: 1)
        scheduler.submit(1)
        scheduler.submit(2)
        scheduler.submit(3, priority: 1)
        scheduler.submit(4, priority: -1)
        #expect([1, 3, 2].flatMap { scheduler.withdraw($0) } == [.start(3), .start(2), .start(4)])
    }

    @Test("a file that leaves the queue never starts")
    func leaves() {
        let scheduler = SchedulerDriver(files: 1)
        for file in 1...3 { scheduler.submit(file) }
        #expect(scheduler.withdraw(2) == [])
        #expect(scheduler.withdraw(1) == [.start(3)])
    }

    @Test("a larger cap starts files at once, a smaller one stops none")
    func changes() {
        let scheduler = SchedulerDriver(files: 1)
        for file in 1...5 { scheduler.submit(file) }
        #expect(scheduler.set { $0.activeFiles = 3 } == [.start(2), .start(3)])
        #expect(scheduler.set { $0.activeFiles = 1 } == [])
        #expect(scheduler.state.activeFiles == 3)
        #expect(scheduler.withdraw(1) == [])
        #expect(scheduler.withdraw(2) == [])
        #expect(scheduler.withdraw(3) == [.start(4)])
    }

    @Test("the order of the queue can change while files wait")
    func orderChanges() {
        let scheduler = SchedulerDriver(files: 1)
        for file in 1...4 { scheduler.submit(file) }
        scheduler.set { $0.queueOrder = .lifo }
        #expect(scheduler.withdraw(1) == [.start(4)])
    }
}
