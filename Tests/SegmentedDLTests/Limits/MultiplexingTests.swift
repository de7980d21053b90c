import Testing

@testable import SegmentedDL

@Suite("Requests that share a connection")
struct MultiplexingTests {
    private func scheduler(files: Int = 100, connections: Int = 16, perHost: Int = 8) -> SchedulerDriver {
        SchedulerDriver(files: files, connections: connections, perHost: perHost)
    }

    /// Submits files with these numbers, and requests a shareable connection for each.
    private func ask(_ files: ClosedRange<Int>, _ scheduler: SchedulerDriver) -> [Int] {
        files.flatMap { file in
            scheduler.submit(file)
            return scheduler.state.request(
                file, file: file, host: "a", mayShare: true, now: scheduler.now
            ).compactMap { action -> Int? in if case .grant(let id) = action { id } else { nil } }
        }
    }

    /// Returns a scheduler with these requests to a distant host, which share connections.
    private func distantHost(requests: Int) -> SchedulerDriver {
        let scheduler = scheduler()
        _ = ask(1...1, scheduler)
        _ = scheduler.state.answered(1, isShared: true, isDistant: true, now: scheduler.now)
        _ = ask(2...requests, scheduler)
        return scheduler
    }

    private func answered(_ connection: Int, _ isShared: Bool, _ scheduler: SchedulerDriver) -> Int {
        scheduler.state.answered(connection, isShared: isShared, now: scheduler.now)
            .count { if case .grant = $0 { true } else { false } }
    }

    @Test("before the first response each counts as a connection, then all as one")
    func counting() {
        let scheduler = scheduler()
        #expect(ask(1...20, scheduler) == Array(1...8))
        #expect(scheduler.state.openConnections == 8)
        #expect(answered(1, true, scheduler) == 12)
        #expect(scheduler.state.openConnections == 1)
        #expect(scheduler.state.openConnections(to: "a") == 1)
        // The segments of a large file have their own connections.
        for id in 101...110 { scheduler.request(id, file: 1) }
        #expect(scheduler.state.openConnections == 8)
        for id in 1...20 { scheduler.release(id) }
        #expect(scheduler.state.openConnections == 8)
        for id in 101...110 { scheduler.release(id) }
        #expect(scheduler.state.openConnections == 0)
    }

    @Test("their number is limited by the cap on requests")
    func cap() {
        let scheduler = scheduler()
        scheduler.set { $0.requestsPerHost = 10 }
        _ = ask(1...30, scheduler)
        #expect(answered(1, true, scheduler) == 2)
        #expect(scheduler.release(1) == [.grant(11)])
        #expect(scheduler.set { $0.requestsPerHost = 12 } == [.grant(12), .grant(13)])
    }

    @Test("to a distant host share several, up to half of its connections and of all")
    func distant() {
        let scheduler = scheduler(files: 200)
        #expect(ask(1...1, scheduler) == [1])
        _ = scheduler.state.answered(1, isShared: true, isDistant: true, now: scheduler.now)
        #expect(ask(2...4, scheduler).count == 3)
        #expect(scheduler.state.openConnections == 1)
        #expect(ask(5...100, scheduler).count == 96)
        #expect(scheduler.state.openConnections(to: "a") == 4)
        #expect(scheduler.state.sharedConnections(to: "a") == 4)
        #expect(scheduler.state.requests(to: "a") == 100)
        // The segments of a large file have the other half.
        for id in 101...110 { scheduler.request(id, file: 1) }
        #expect(scheduler.state.openConnections == 8)
        for id in 1...90 { scheduler.release(id) }
        // Each of the ten may use another one.
        #expect(scheduler.state.sharedConnections(to: "a") == 4)
        #expect(scheduler.state.openConnections == 8)
        for id in 91...110 { scheduler.release(id) }
        #expect(scheduler.state.openConnections == 0)
        #expect(scheduler.state.sharedConnections(to: "a") == 1)

        let few = self.scheduler(connections: 5)
        _ = ask(1...1, few)
        _ = few.state.answered(1, isShared: true, isDistant: true, now: few.now)
        _ = ask(2...50, few)
        #expect(few.state.openConnections == 2)
    }

    @Test("remain counted while others use up the caps, even if one of their requests is lost")
    func distantBesideOthers() {
        let scheduler = distantHost(requests: 20)
        for id in 101...108 { scheduler.request(id, file: 1, host: "b") }
        for id in 109...112 { scheduler.request(id, file: 1, host: "c") }
        #expect(scheduler.state.openConnections == 16)
        _ = scheduler.state.dropped(1, now: scheduler.now)
        #expect(scheduler.state.openConnections == 16)
        #expect(scheduler.state.sharedConnections(to: "a") == 4)
    }

    @Test("to a distant host share fewer after a cap was lowered, and no more follow until then")
    func distantAndLowered() {
        let scheduler = distantHost(requests: 40)
        #expect(scheduler.state.sharedConnections(to: "a") == 4)
        scheduler.set { $0.connectionsPerHost = 2 }
        #expect(ask(41...50, scheduler).isEmpty)
        for id in 1...36 { scheduler.release(id) }
        #expect(scheduler.state.sharedConnections(to: "a") == 4)
        scheduler.release(37)
        #expect(scheduler.state.openConnections == 3 && scheduler.state.waiting == Set(41...50))
        #expect(scheduler.release(38) == (41...50).map { .grant($0) })
        #expect(scheduler.state.sharedConnections(to: "a") == 2)
        #expect(scheduler.state.openConnections == 2)
        #expect(scheduler.state.requests(to: "a") == 12)
    }

    @Test(
        "to a distant host share one connection after three failures in a row, and three more end the sharing"
    )
    func distantFailures() {
        let scheduler = distantHost(requests: 40)
        func fail(_ ids: ClosedRange<Int>) {
            for id in ids {
                _ = ask(id...id, scheduler)
                _ = scheduler.state.dropped(id, now: 0)
                scheduler.release(id)
            }
        }
        fail(41...42)
        #expect(scheduler.state.sharedConnections(to: "a") == 4)
        // The last one, when few requests are left.
        for id in 3...40 { scheduler.release(id) }
        #expect(scheduler.state.sharedConnections(to: "a") == 2)
        fail(43...43)
        #expect(scheduler.state.mayShare("a"))
        for id in 1...2 { scheduler.release(id) }
        #expect(scheduler.state.sharedConnections(to: "a") == 1)
        #expect(ask(44...60, scheduler).count == 17)
        #expect(scheduler.state.sharedConnections(to: "a") == 1)
        fail(61...63)
        #expect(!scheduler.state.mayShare("a"))
    }

    @Test("are counted anew when a host turns out not to share them")
    func distantAlone() {
        let scheduler = distantHost(requests: 20)
        #expect(scheduler.state.openConnections == 4)
        _ = answered(1, false, scheduler)
        #expect(scheduler.state.openConnections == 20)
        #expect(scheduler.state.sharedConnections(to: "a") == 1)
        for id in 1...20 { scheduler.release(id) }
        #expect(scheduler.state.openConnections == 0)
    }

    @Test("without sharing nothing changes")
    func single() {
        let scheduler = scheduler()
        _ = ask(1...20, scheduler)
        #expect(answered(1, false, scheduler) == 0)
        #expect(scheduler.state.openConnections == 8)
        #expect(scheduler.release(1) == [.grant(9)])
    }

    @Test("one is sent over the connections of others, and needs none of its own")
    func noConnectionLeft() {
        let scheduler = scheduler(connections: 2)
        #expect(ask(1...1, scheduler) == [1])
        _ = answered(1, true, scheduler)
        scheduler.request(50, file: 1)
        #expect(scheduler.state.openConnections == 2)
        // A stream of the open connection is granted although no other connection is free.
        #expect(ask(2...2, scheduler) == [2])
        scheduler.release(1)
        scheduler.release(2)
        #expect(scheduler.state.openConnections == 1)
    }

    @Test("failures of all in flight count once, and three in a row end the sharing")
    func failures() {
        let scheduler = scheduler()
        _ = ask(1...20, scheduler)
        _ = answered(1, true, scheduler)
        for id in 1...10 {
            _ = scheduler.state.dropped(id, now: 0)
            scheduler.release(id)
        }
        #expect(scheduler.state.mayShare("a"))
        // This does not lower the host's cap.
        #expect(scheduler.state.room(at: "a", now: 0) == 7)
        for id in 21...22 {
            _ = ask(id...id, scheduler)
            _ = scheduler.state.dropped(id, now: 0)
        }
        #expect(!scheduler.state.mayShare("a"))
        // A response that was in flight changes nothing.
        _ = answered(11, true, scheduler)
        #expect(!scheduler.state.mayShare("a"))
        // The remaining streams count as connections, so no further one is granted.
        #expect(scheduler.state.openConnections == 12)
        #expect(ask(31...31, scheduler) == [])
    }

    @Test("a success in between resets failures")
    func forgiven() {
        let scheduler = scheduler()
        _ = ask(1...1, scheduler)
        _ = answered(1, true, scheduler)
        for id in 2...20 {
            _ = ask(id...id, scheduler)
            _ = scheduler.state.dropped(id, now: 0)
            scheduler.state.worked(1)
        }
        #expect(scheduler.state.mayShare("a"))
    }

    @Test("a busy host gets fewer, as with connections")
    func busy() {
        let scheduler = scheduler()
        _ = ask(1...50, scheduler)
        _ = answered(1, true, scheduler)
        for id in 1...30 { scheduler.release(id) }
        scheduler.refused(31, retryAfter: nil)
        scheduler.tick(at: 1)
        // Twenty were open, so the host accepts nineteen.
        scheduler.release(31)
        scheduler.release(32)
        #expect(ask(61...63, scheduler) == [61])
    }
}
