import Testing

@testable import SegmentedDL

@Suite("Connections lost before a response")
struct SchedulerDroppedTests {
    @Test("do not indicate the host's limit if no other one exists")
    func alone() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        let actions = scheduler.state.dropped(10, now: 0)
        #expect(actions == [])
        #expect(scheduler.state.pausedUntil("a") == nil)
        #expect(scheduler.state.room(at: "a", now: 0) == 7)
        scheduler.release(10)
        #expect(scheduler.request(11, file: 1) == [.grant(11)])
    }

    @Test("delay the next attempt with more connections, because a host that bans a client refuses nothing")
    func banned() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        for connection in 10...12 { scheduler.request(connection, file: 1) }
        _ = scheduler.state.dropped(12, now: 0)
        for connection in 11...12 { scheduler.release(connection) }
        #expect(scheduler.state.room(at: "a", now: 1) == 1)
        _ = scheduler.state.dropped(10, now: 9)
        scheduler.tick(at: 11)
        #expect(scheduler.state.room(at: "a", now: 11) == 1)
        scheduler.tick(at: 20)
        #expect(scheduler.state.room(at: "a", now: 20) == 2)
    }

    @Test(
        "by a ban that responds with a final status leave one, for all files, and are tried later each time")
    func bannedByStatus() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        for connection in 10...12 { scheduler.request(connection, file: 1) }
        for connection in 10...12 { scheduler.release(connection) }
        _ = scheduler.state.wasBanned(at: "a", by: 1, now: 0)
        #expect(scheduler.state.room(at: "a", now: 0) == 1)
        _ = scheduler.state.wasBanned(at: "a", by: 1, now: 5)
        scheduler.tick(at: 14)
        #expect(scheduler.state.room(at: "a", now: 14) == 1)
        scheduler.tick(at: 15)
        #expect(scheduler.state.room(at: "a", now: 15) == 2)
        _ = scheduler.state.wasBanned(at: "a", by: 1, now: 16)
        scheduler.tick(at: 35)
        #expect(scheduler.state.room(at: "a", now: 35) == 1)
    }

    @Test("by what seems a ban of one file do not limit a host that serves another file")
    func bannedBesideOthers() {
        let scheduler = SchedulerDriver()
        for file in 1...2 { scheduler.submit(file) }
        scheduler.request(10, file: 2)
        _ = scheduler.state.toldNothing(10)
        _ = scheduler.state.wasBanned(at: "a", by: 1, now: 0)
        #expect(scheduler.state.hosts["a"] == nil)
        _ = scheduler.state.wasBanned(at: "a", by: 2, now: 0)
        #expect(scheduler.state.hosts["a"]?.cap == 1)
    }

    @Test("by a ban leave the factor of the host's later pauses unchanged")
    func pauseFactor() {
        var state = SchedulerState(limits: Limits(), pauseFactor: 0.1)
        _ = state.wasBanned(at: "a", by: 1, now: 0)
        var expected = HostLimit(pauseFactor: 0.1)
        expected.banned(now: 0)
        #expect(state.hosts["a"] == expected)
    }

    @Test("are refusals if others work: the cap is then the number of the others")
    func besideOthers() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        for connection in 10...11 { scheduler.request(connection, file: 1) }
        let actions = scheduler.state.dropped(11, now: 0)
        #expect(actions == [])
        #expect(scheduler.state.pausedUntil("a") == HostLimit.minimumPauseSeconds)
        scheduler.release(11)
        #expect(scheduler.request(12, file: 1) == [])
        #expect(scheduler.tick(at: 1) == [])
        #expect(scheduler.release(10) == [.grant(12)])
    }
}
