import Testing

@testable import SegmentedDL

@Suite("Hosts that refuse connections")
struct SchedulerHostTests {
    @Test("a refusal lowers the host's cap for all files, and pauses it")
    func drops() {
        let scheduler = SchedulerDriver(files: 2, connections: 16, perHost: 8)
        scheduler.submit(1)
        scheduler.submit(2)
        scheduler.request(10, file: 1)
        scheduler.request(11, file: 1)
        scheduler.request(20, file: 2)
        scheduler.refused(20)
        #expect(scheduler.release(20) == [])
        #expect(scheduler.request(21, file: 2) == [])
        // Other hosts are not affected.
        #expect(scheduler.request(22, file: 2, host: "b") == [.grant(22)])
        scheduler.release(10)
        #expect(scheduler.tick(at: 0.3) == [.grant(21)])
        #expect(scheduler.request(12, file: 1) == [])
    }

    @Test("Retry-After makes all of the host's downloads wait, and no longer")
    func retryAfter() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        scheduler.refused(10, retryAfter: 30)
        scheduler.release(10)
        scheduler.request(11, file: 1)
        #expect(scheduler.nextChange == 30)
        #expect(scheduler.tick(at: 29.9) == [])
        #expect(scheduler.tick(at: 30) == [.grant(11)])
    }

    @Test("a pause is that of an exhausted quota if the host has stated no longer one")
    func quotaPause() {
        let scheduler = SchedulerDriver()
        let place = SchedulerState.Place(host: "a", group: "")
        #expect(scheduler.state.requestedPause(of: place, now: 0) == (0, false))
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        _ = scheduler.state.told(RequestQuota(left: 0, resetSeconds: 60), at: place, now: 0)
        #expect(scheduler.state.requestedPause(of: place, now: 10) == (50, true))
        #expect(scheduler.state.requestedPause(of: place, now: 60) == (0, false))
        scheduler.now = 10
        scheduler.refused(10, retryAfter: 100)
        #expect(scheduler.state.requestedPause(of: place, now: 10) == (100, false))
    }

    @Test("the cap recovers one connection at a time")
    func recovers() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        for connection in 10...13 { scheduler.request(connection, file: 1) }
        scheduler.refused(13)
        scheduler.release(13)
        for connection in 14...16 { scheduler.request(connection, file: 1) }
        #expect(scheduler.tick(at: 9) == [])
        #expect(scheduler.nextChange == 10)
        #expect(scheduler.tick(at: 10) == [.grant(14)])
        #expect(scheduler.tick(at: 19.9) == [])
        #expect(scheduler.tick(at: 20) == [.grant(15)])
        #expect(scheduler.tick(at: 30) == [.grant(16)])
    }

    @Test("the refusal of an unknown or released connection is ignored")
    func unknown() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        scheduler.release(10)
        #expect(scheduler.refused(10) == [])
        scheduler.state.worked(10)
        #expect(scheduler.request(11, file: 1) == [.grant(11)])
    }

    @Test("without a waiting file no wake-up is needed")
    func quiet() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        scheduler.refused(10, retryAfter: 30)
        #expect(scheduler.nextChange == nil)
        scheduler.release(10)
        #expect(scheduler.nextChange == nil)
    }
}
