import Testing

@testable import SegmentedDL

@Suite("The permitted connections")
struct SchedulerConnectionsTests {
    @Test("all files together hold as many as the cap allows")
    func total() {
        let scheduler = SchedulerDriver(connections: 2, perHost: 8)
        scheduler.submit(1)
        #expect(scheduler.request(10, file: 1) == [.grant(10)])
        #expect(scheduler.request(11, file: 1, host: "b") == [.grant(11)])
        #expect(scheduler.request(12, file: 1, host: "c") == [])
        #expect(scheduler.state.openConnections == 2)
        #expect(scheduler.release(10) == [.grant(12)])
        #expect(scheduler.state.openConnections == 2)
    }

    @Test("each host has its own cap")
    func perHost() {
        let scheduler = SchedulerDriver(connections: 16, perHost: 2)
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        scheduler.request(11, file: 1)
        #expect(scheduler.request(12, file: 1) == [])
        #expect(scheduler.request(13, file: 1, host: "b") == [.grant(13)])
        #expect(scheduler.state.openConnections(to: "a") == 2)
        #expect(scheduler.state.openConnections(to: "b") == 1)
        #expect(scheduler.state.openConnections(to: "c") == 0)
        // A free connection to another host does not help.
        #expect(scheduler.release(13) == [])
        #expect(scheduler.release(10) == [.grant(12)])
    }

    @Test("a queued file gets none")
    func inactive() {
        let scheduler = SchedulerDriver(files: 1)
        scheduler.submit(1)
        scheduler.submit(2)
        #expect(scheduler.request(20, file: 2) == [])
        #expect(scheduler.request(10, file: 1) == [.grant(10)])
        scheduler.release(10)
        #expect(scheduler.withdraw(1) == [.start(2), .grant(20)])
    }

    @Test("a medium-sized file gets no second one while other files wait, a large one does")
    func middle() {
        let scheduler = SchedulerDriver(connections: 8)
        scheduler.set { $0.activeFiles = .automatic }
        for file in 1...6 { scheduler.submit(file) }
        // Four are active; the other two are queued.
        for file in 1...4 { scheduler.request(10 * file, file: file) }
        _ = scheduler.state.found(1, isLarge: true, isShared: false, now: 0)
        #expect(scheduler.request(21, file: 2) == [])
        #expect(scheduler.request(11, file: 1) == [.grant(11)])
        #expect(scheduler.withdraw(3) == [.start(5)])
        #expect(scheduler.withdraw(4) == [.start(6)])
        #expect(scheduler.request(50, file: 5) == [.grant(50)])
        // The last file has requested its first one: any file can use what is left.
        #expect(scheduler.request(60, file: 6) == [.grant(60), .grant(21)])
    }

    @Test("every active file gets one before any gets a second")
    func oneEach() {
        let scheduler = SchedulerDriver(connections: 3)
        for file in 1...3 { scheduler.submit(file) }
        #expect(scheduler.request(10, file: 1) == [.grant(10)])
        // Two are reserved for the files that have just begun.
        #expect(scheduler.request(11, file: 1) == [])
        #expect(scheduler.request(12, file: 1) == [])
        #expect(scheduler.request(20, file: 2) == [.grant(20)])
        #expect(scheduler.request(30, file: 3) == [.grant(30)])
        // Once all are served, a free connection goes to the file with the fewest.
        scheduler.request(21, file: 2)
        #expect(scheduler.release(30) == [.grant(11)])
    }

    @Test("a file that has ended reserves no connection")
    func reservationEnds() {
        let scheduler = SchedulerDriver(connections: 2)
        scheduler.submit(1)
        scheduler.submit(2)
        scheduler.request(10, file: 1)
        #expect(scheduler.request(11, file: 1) == [])
        #expect(scheduler.withdraw(2) == [.grant(11)])
    }

    @Test("the file with the fewest comes first, then priority, then age")
    func rank() {
        let scheduler = SchedulerDriver(files: 3, connections: 4)
        scheduler.submit(1)
        scheduler.submit(2, priority: 5)
        scheduler.submit(3, priority: 5)
        for file in 1...3 { scheduler.request(file * 10, file: file) }
        scheduler.request(11, file: 1)
        scheduler.request(12, file: 1)
        scheduler.request(31, file: 3)
        scheduler.request(21, file: 2)
        // File 1 holds two; of the others, with one each, file 2 became active first.
        #expect(scheduler.set { $0.connections = 5 } == [.grant(21)])
        #expect(scheduler.set { $0.connections = 6 } == [.grant(31)])
        #expect(scheduler.set { $0.connections = 7 } == [.grant(12)])
    }

    @Test("a cancelled waiter leaves no gap")
    func waitingReleased() {
        let scheduler = SchedulerDriver(connections: 1)
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        scheduler.request(11, file: 1)
        scheduler.request(12, file: 1)
        #expect(scheduler.release(11) == [])
        #expect(scheduler.state.openConnections == 1)
        #expect(scheduler.release(10) == [.grant(12)])
    }

    @Test("a second release of the same connection does nothing")
    func twice() {
        let scheduler = SchedulerDriver(connections: 1)
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        scheduler.release(10)
        #expect(scheduler.release(10) == [])
        #expect(scheduler.state.openConnections == 0)
    }

    @Test("a connection of a file that has ended still counts until it is released")
    func orphan() {
        let scheduler = SchedulerDriver(files: 1, connections: 1)
        scheduler.submit(1)
        scheduler.submit(2)
        scheduler.request(10, file: 1)
        #expect(scheduler.withdraw(1) == [.start(2)])
        #expect(scheduler.request(20, file: 2) == [])
        #expect(scheduler.release(10) == [.grant(20)])
    }

    @Test("larger caps grant at once, smaller ones reclaim the excess, once")
    func changes() {
        let scheduler = SchedulerDriver(connections: 2, perHost: 8)
        scheduler.submit(1)
        for connection in 10...14 { scheduler.request(connection, file: 1) }
        #expect(scheduler.set { $0.connections = 4 } == [.grant(12), .grant(13)])
        #expect(scheduler.set { $0.connections = 1 } == [.reclaim(1), .reclaim(1), .reclaim(1)])
        #expect(scheduler.set { $0.connections = 1 } == [])
        #expect(scheduler.state.openConnections == 4)
        #expect([10, 11, 12].flatMap { scheduler.release($0) } == [])
        #expect(scheduler.release(13) == [.grant(14)])
    }

    @Test("the cap per host can change as well")
    func hostChanges() {
        let scheduler = SchedulerDriver(perHost: 1)
        scheduler.submit(1)
        for connection in 10...13 { scheduler.request(connection, file: 1) }
        #expect(scheduler.set { $0.connectionsPerHost = 3 } == [.grant(11), .grant(12)])
        #expect(scheduler.set { $0.connectionsPerHost = 2 } == [.reclaim(1)])
        #expect(scheduler.release(10) == [])
        #expect(scheduler.release(11) == [.grant(13)])
    }

    @Test("connections that are opened without a permit count within the caps until they are open")
    func reserved() {
        let scheduler = SchedulerDriver(connections: 9, perHost: 8)
        scheduler.submit(1)
        #expect(scheduler.request(10, file: 1) == [.grant(10)])
        let isReserved = scheduler.state.reserve(6, at: "a")
        #expect(isReserved)
        scheduler.submit(2)
        #expect(scheduler.request(11, file: 2) == [.grant(11)])
        // The host has eight, and with the next one there are nine.
        #expect(scheduler.request(12, file: 1).isEmpty)
        #expect(scheduler.request(13, file: 2, host: "b") == [.grant(13)])
        #expect(scheduler.request(14, file: 2, host: "b").isEmpty)
        #expect(scheduler.state.releaseReserved(at: "a", now: 0) == [.grant(12)])
        #expect(scheduler.state.releaseReserved(at: "a", now: 0) == [.grant(14)])
        // There are two files.
        let isReservedAgain = scheduler.state.reserve(1, at: "c")
        #expect(!isReservedAgain)
        for _ in 1...4 { #expect(scheduler.state.releaseReserved(at: "a", now: 0).isEmpty) }
        for id in 20...23 { #expect(scheduler.request(id, file: 1) == [.grant(id)]) }
        #expect(scheduler.request(24, file: 1).isEmpty)
    }

    @Test("a document about files is granted before any file, even if its own file has ended")
    func documents() {
        let scheduler = SchedulerDriver(connections: 2, perHost: 2)
        for file in 1...3 { scheduler.submit(file, priority: file) }
        for file in 1...2 { scheduler.request(10 + file, file: file) }
        #expect(scheduler.request(13, file: 3).isEmpty)
        let actions = scheduler.state.request(20, file: 1, host: "a", isApart: true, now: 0)
        #expect(actions.isEmpty)
        scheduler.withdraw(1)
        #expect(scheduler.release(11) == [.grant(20)])
        #expect(scheduler.state.openConnections == 2)
        #expect(scheduler.release(20) == [.grant(13)])
    }

    @Test("a document of a file without a connection gets one of a file with several")
    func documentsReclaim() {
        let scheduler = SchedulerDriver(connections: 2, perHost: 2)
        for file in 1...2 { scheduler.submit(file) }
        for id in 10...13 { scheduler.request(id, file: 2) }
        scheduler.request(20, file: 1)
        scheduler.release(10)
        scheduler.release(20)
        #expect(scheduler.state.openConnections == 2)
        let actions = scheduler.state.request(30, file: 1, host: "a", isApart: true, now: 0)
        #expect(actions == [.reclaim(2)])
        #expect(scheduler.release(12) == [.grant(30)])
    }
}
