import Testing

@testable import SegmentedDL

@Suite("Reclaiming connections for files without one")
struct SchedulerReclaimTests {
    /// File 1 holds all `count` connections; file 2 is active without any.
    private func crowded(_ count: Int, files: Int = 4) -> SchedulerDriver {
        let scheduler = SchedulerDriver(files: files, connections: count)
        scheduler.submit(1)
        for connection in 0..<count { scheduler.request(100 + connection, file: 1) }
        return scheduler
    }

    @Test("a new file without a connection reclaims one, once")
    func once() {
        let scheduler = crowded(4)
        #expect(scheduler.submit(2) == [.start(2)])
        #expect(scheduler.request(200, file: 2) == [.reclaim(1)])
        // Neither further requests nor time cause another reclaim.
        #expect(scheduler.request(201, file: 2).count <= 1)
        #expect(scheduler.tick(at: 1) == [])
        #expect(scheduler.release(100).contains(.grant(200)))
    }

    @Test("the file with the most connections gives one")
    func fromTheRichest() {
        let scheduler = SchedulerDriver(connections: 5)
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        scheduler.request(11, file: 1)
        scheduler.submit(2)
        for connection in 20...22 { scheduler.request(connection, file: 2) }
        scheduler.submit(3)
        #expect(scheduler.request(30, file: 3) == [.reclaim(2)])
        #expect(scheduler.release(20) == [.grant(30)])
    }

    @Test("a file's last connection is never reclaimed")
    func notTheLast() {
        let scheduler = crowded(1)
        scheduler.submit(2)
        #expect(scheduler.request(200, file: 2) == [])
        #expect(scheduler.release(100) == [.grant(200)])
    }

    @Test("several needy files are served from one, down to its last")
    func several() {
        let scheduler = crowded(3)
        for file in 2...4 { scheduler.submit(file) }
        #expect(scheduler.request(200, file: 2) == [.reclaim(1)])
        #expect(scheduler.request(300, file: 3) == [.reclaim(1)])
        #expect(scheduler.request(400, file: 4) == [])
        #expect(scheduler.release(100) == [.grant(200)])
        #expect(scheduler.release(101) == [.grant(300)])
        #expect(scheduler.release(102) == [.grant(400)])
    }

    @Test("if the host is at its cap, one of that host is reclaimed")
    func ofThatHost() {
        let scheduler = SchedulerDriver(connections: 16, perHost: 2)
        scheduler.submit(1)
        for connection in 10...14 { scheduler.request(connection, file: 1, host: "b\(connection)") }
        scheduler.submit(2)
        scheduler.request(20, file: 2)
        scheduler.request(21, file: 2)
        scheduler.submit(3)
        // File 1 holds more, but releasing one would not help.
        #expect(scheduler.request(30, file: 3) == [.reclaim(2)])
    }

    @Test("a paused host's connections are not reclaimed")
    func paused() {
        let scheduler = SchedulerDriver(connections: 4)
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        scheduler.refused(10, retryAfter: 60)
        scheduler.release(10)
        for connection in 11...14 { scheduler.request(connection, file: 1, host: "b") }
        scheduler.submit(2)
        #expect(scheduler.request(20, file: 2) == [])
        #expect(scheduler.request(21, file: 2, host: "c") == [.reclaim(1)])
    }

    @Test("none is reclaimed for a request whose quota another response must first name")
    func unnamedQuota() {
        let scheduler = SchedulerDriver()
        for file in 1...3 { scheduler.submit(file) }
        let quota = RequestQuota(left: 100, resetSeconds: 60, name: "api")
        let place = SchedulerState.Place(host: "a", group: "api/models")
        _ = scheduler.state.told(quota, at: place, now: 0)
        for connection in 10...11 {
            _ = scheduler.state.request(connection, file: 1, host: "a", group: place.group, now: 0)
        }
        scheduler.request(20, file: 2)
        #expect(scheduler.request(30, file: 3) == [])
        _ = scheduler.state.toldNothing(20)
        #expect(scheduler.tick(at: 0) == [.grant(30)])
    }
}
