import Testing

@testable import SegmentedDL

@Suite("A request for a connection that must not wait for a restricted host")
struct RestrictedHostTests {
    /// Requests a connection that must not wait.
    private func request(_ connection: Int, _ scheduler: SchedulerDriver) -> [SchedulerState.Action] {
        scheduler.state.request(
            connection, file: 1, host: "a", patience: .unlessRestricted, now: scheduler.now)
    }

    @Test("ends when the host refuses another one; others wait, and its file may request one again")
    func refused() {
        let scheduler = SchedulerDriver(perHost: 1)
        scheduler.submit(1)
        scheduler.submit(2)
        scheduler.request(10, file: 2)
        #expect(request(12, scheduler).isEmpty)
        scheduler.request(13, file: 2)
        #expect(scheduler.refused(10, retryAfter: 60) == [.end(12)])
        #expect(scheduler.release(12).isEmpty)
        #expect(scheduler.state.waiting == [13])
        // A host that is known as restricted is not waited for either.
        #expect(request(14, scheduler) == [.end(14)])
        scheduler.request(15, file: 1, host: "b")
        #expect(scheduler.state.waiting == [13])
    }

    @Test("ends when the host states a quota")
    func quota() {
        let scheduler = SchedulerDriver(perHost: 1)
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        #expect(request(11, scheduler).isEmpty)
        let actions = scheduler.state.told(RequestQuota(left: 5, resetSeconds: 60), of: 10, now: 0)
        #expect(actions == [.end(11)])
    }

    @Test("ends if the host requests a longer pause than it accepts; one that accepts it waits")
    func longPause() {
        let scheduler = SchedulerDriver(perHost: 1)
        for file in 1...3 { scheduler.submit(file) }
        scheduler.request(10, file: 1)
        for (connection, file, longest) in [(11, 2, 59.0), (12, 3, 60)] {
            let actions = scheduler.state.request(
                connection, file: file, host: "a", patience: .pauses(upTo: longest), now: scheduler.now)
            #expect(actions.isEmpty)
        }
        #expect(scheduler.refused(10, retryAfter: 60) == [.end(11)])
        #expect(scheduler.state.waiting == [12])
    }

    @Test("does not end because of a pause that the host has not requested")
    func ownPause() {
        let scheduler = SchedulerDriver(perHost: 1)
        for file in 1...2 { scheduler.submit(file) }
        scheduler.request(10, file: 1)
        let actions = scheduler.state.request(
            11, file: 2, host: "a", patience: .pauses(upTo: 0.5), now: scheduler.now)
        #expect(actions.isEmpty)
        #expect(scheduler.refused(10).isEmpty)
        #expect(scheduler.state.waiting == [11])
    }

    @Test("is granted by any other host")
    func granted() {
        let scheduler = SchedulerDriver(perHost: 1)
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        #expect(request(11, scheduler).isEmpty)
        #expect(scheduler.release(10) == [.grant(11)])
    }

    @Test("ends without a permit")
    func permit() async throws {
        var limits = Limits()
        limits.connectionsPerHost = 1
        let scheduler = GlobalScheduler(limits: limits)
        let slots = (0..<2).map { _ in scheduler.submit(priority: 0) }
        let permit = try await slots[0].connect(to: "a")
        let task = Task { try await slots[1].connectUnlessRestricted(to: "a", mayShare: false) == nil }
        // Whichever comes first, the request ends.
        permit.report(.busy(status: 429, retryAfter: 60))
        #expect(try await task.value)
        permit.release()
    }
}
