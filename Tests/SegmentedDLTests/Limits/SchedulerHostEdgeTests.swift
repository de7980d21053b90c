import Testing

@testable import SegmentedDL

@Suite("Hosts that refuse connections: edge cases")
struct SchedulerHostEdgeTests {
    /// A time in the past would fire the timer repeatedly, without a pause.
    @Test("without a free connection, the next change is never in the past")
    func alarm() {
        let scheduler = SchedulerDriver(connections: 4)
        scheduler.submit(1)
        for connection in 10...12 { scheduler.request(connection, file: 1) }
        scheduler.refused(12)
        scheduler.release(12)
        // Another host uses all that is left, so that nothing is free when the cap could recover.
        scheduler.request(13, file: 1, host: "b")
        scheduler.request(14, file: 1, host: "b")
        scheduler.request(15, file: 1)
        scheduler.tick(at: 10)
        #expect((scheduler.nextChange ?? .infinity) > 10)
    }

    @Test("when the learned cap is reached, one of that host is reclaimed")
    func learntCap() {
        let scheduler = SchedulerDriver(connections: 16, perHost: 8)
        scheduler.submit(1)
        for connection in 10...12 { scheduler.request(connection, file: 1) }
        scheduler.refused(12)
        scheduler.release(12)
        scheduler.submit(2)
        for connection in 20...24 { scheduler.request(connection, file: 2, host: "b") }
        scheduler.submit(3)
        scheduler.tick(at: 1)
        // File 2 holds more, but none to the saturated host.
        #expect(scheduler.request(30, file: 3) == [.reclaim(1)])
    }

    @Test(
        "the cap does not recover while the host is paused, because nothing indicates that it would accept more"
    )
    func recoveryDuringPause() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        scheduler.refused(10, retryAfter: 100)
        scheduler.release(10)
        for connection in 11...17 { scheduler.request(connection, file: 1) }
        for time in stride(from: 10.0, to: 100, by: 10) { scheduler.tick(at: time) }
        #expect(scheduler.tick(at: 100).count <= 2)
    }

    @Test("a file whose host accepts none now reserves no connection")
    func stuckFile() {
        let scheduler = SchedulerDriver(connections: 1)
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        scheduler.refused(10, retryAfter: 100)
        scheduler.release(10)
        scheduler.withdraw(1)
        scheduler.submit(2)
        #expect(scheduler.request(20, file: 2) == [])
        scheduler.submit(3)
        #expect(scheduler.request(30, file: 3, host: "b") == [.grant(30)])
        scheduler.release(30)
        // It has had one before, and no other file could use this one.
        #expect(scheduler.request(31, file: 3, host: "b") == [.grant(31)])
        scheduler.tick(at: 100)
        #expect(scheduler.release(31) == [.grant(20)])
        // Now the other one has to wait.
        #expect(scheduler.request(32, file: 3, host: "b") == [])
    }

    @Test("a file that has not requested one yet still reserves one")
    func newFile() {
        let scheduler = SchedulerDriver(connections: 2)
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        scheduler.submit(2)
        #expect(scheduler.request(11, file: 1) == [])
        #expect(scheduler.request(20, file: 2) == [.grant(20)])
    }
}
