import Testing

@testable import SegmentedDL

@Suite("Reclaimed connections that a file owes")
struct SchedulerDebtTests {
    @Test("count when they are returned, so that the next needy file gets one, too")
    func paid() {
        let scheduler = SchedulerDriver(files: 3, connections: 4)
        scheduler.submit(1)
        for connection in 10...13 { scheduler.request(connection, file: 1) }
        scheduler.submit(2)
        #expect(scheduler.request(20, file: 2) == [.reclaim(1)])
        #expect(scheduler.release(10) == [.grant(20)])
        scheduler.submit(3)
        #expect(scheduler.request(30, file: 3) == [.reclaim(1)])
        #expect(scheduler.release(11) == [.grant(30)])
    }

    @Test("give no credit: connections returned without a request do not count")
    func noCredit() {
        let scheduler = SchedulerDriver(files: 2, connections: 3)
        scheduler.submit(1)
        for connection in 10...12 { scheduler.request(connection, file: 1) }
        for connection in 10...11 { scheduler.release(connection) }
        for connection in 13...14 { scheduler.request(connection, file: 1) }
        scheduler.submit(2)
        #expect(scheduler.request(20, file: 2) == [.reclaim(1)])
        #expect(scheduler.tick(at: 1) == [])
    }
}
