import Testing

@testable import SegmentedDL

@Suite("Files that wait for their hosts")
struct SchedulerStallTests {
    private let scheduler = SchedulerDriver()

    /// - Parameter files: Files of the host "a", which each request a connection; four of them start.
    private func begin(_ files: Int = 4, others: Int = 0) {
        scheduler.set { $0.activeFiles = .automatic }
        for file in 1...(files + others) { scheduler.submit(file) }
        for file in 1...4 { scheduler.request(file, file: file) }
    }

    @Test("give way to others after two seconds without a response")
    func silent() {
        begin(others: 2)
        #expect(scheduler.nextChange == 2)
        #expect(scheduler.tick(at: 1.9) == [])
        #expect(scheduler.tick(at: 2) == [.start(5), .start(6)])
        #expect(scheduler.nextChange == nil)
    }

    @Test("give way to others after two seconds without a connection, as before a retry")
    func retrying() {
        begin(others: 1)
        for connection in 1...4 {
            _ = scheduler.state.toldNothing(connection)
            scheduler.release(connection)
        }
        #expect(scheduler.tick(at: 2) == [.start(5)])
    }

    @Test("do not give way while they receive bytes, nor once they need no connection")
    func served() {
        begin(others: 1)
        for connection in 1...4 { _ = scheduler.state.toldNothing(connection) }
        #expect(scheduler.tick(at: 10) == [] && scheduler.nextChange == nil)
        for file in 1...4 {
            _ = scheduler.state.needsNoConnection(file, now: scheduler.now)
            scheduler.release(file)
        }
        #expect(scheduler.tick(at: 20) == [])
        #expect(scheduler.withdraw(1) == [.start(5)])
    }

    private func asksOnly(_ file: Int) -> [SchedulerState.Action] {
        scheduler.state.asksOnly(file, now: scheduler.now)
    }

    @Test("do not hold up others if they only ask about copies, but at most four await a connection")
    func questions() {
        scheduler.set {
            $0.activeFiles = .automatic
            $0.connectionsPerHost = 3
        }
        for file in 1...9 { scheduler.submit(file) }
        for file in 1...3 { scheduler.request(file, file: file) }
        #expect(scheduler.state.activeFiles == 4)
        #expect(asksOnly(1) == [.start(5)])
        #expect(asksOnly(2) == [.start(6)])
        for file in 4...6 {
            scheduler.request(file, file: file)
            _ = asksOnly(file)
        }
        #expect(scheduler.state.activeFiles == 7)
        #expect(scheduler.release(1) == [.grant(4)])
        #expect(scheduler.tick(at: 0) == [.start(8)])
    }

    @Test("count even if they only ask about copies, where the number of files is fixed")
    func countedQuestions() {
        for file in 1...5 { scheduler.submit(file) }
        #expect(asksOnly(1) == [])
        #expect(scheduler.withdraw(1) == [.start(5)])
    }

    @Test("do not give way a second time if they only ask about copies")
    func silentQuestions() {
        scheduler.set { $0.activeFiles = .automatic }
        for file in 1...9 { scheduler.submit(file) }
        for file in 1...4 {
            scheduler.request(file, file: file)
            _ = asksOnly(file)
        }
        for file in 5...8 {
            scheduler.request(file, file: file, host: "b")
            _ = scheduler.state.toldNothing(file)
        }
        #expect(scheduler.state.activeFiles == 8)
        #expect(scheduler.tick(at: 3) == [])
    }

    @Test("do not give way before their first request, as while a copy is read")
    func unready() {
        scheduler.set { $0.activeFiles = .automatic }
        for file in 1...5 { scheduler.submit(file) }
        #expect(scheduler.tick(at: 10) == [] && scheduler.nextChange == nil)
    }

    @Test("give way to others while their host is paused, but not while only the caps delay them")
    func paused() {
        scheduler.set {
            $0.activeFiles = .automatic
            $0.connectionsPerHost = 1
        }
        for file in 1...5 { scheduler.submit(file) }
        for file in 1...4 { scheduler.request(file, file: file) }
        _ = scheduler.state.toldNothing(1)
        #expect(scheduler.tick(at: 10) == [])
        #expect(scheduler.refused(1, retryAfter: 60) == [.start(5)])
    }

    @Test("give way to others while a response must first name the quota of their requests")
    func unnamedQuota() {
        scheduler.set { $0.activeFiles = .automatic }
        for file in 1...4 { scheduler.submit(file) }
        let quota = RequestQuota(left: 100, resetSeconds: 60, name: "api")
        _ = scheduler.state.told(quota, at: .init(host: "a", group: "api/models"), now: 0)
        for file in 1...4 { scheduler.request(file, file: file) }
        #expect(scheduler.state.openConnections == 1)
        #expect(scheduler.replaceableFiles(at: 2) == 4)
    }

    @Test("do not count as silent for the time before their connection was granted")
    func granted() {
        begin(others: 1)
        scheduler.set { $0.connectionsPerHost = 1 }
        for connection in 2...4 { scheduler.release(connection) }
        for file in 2...4 { scheduler.request(10 + file, file: file) }
        _ = scheduler.state.toldNothing(1)
        scheduler.now = 9
        #expect(scheduler.release(1) == [.grant(12)])
        #expect(scheduler.tick(at: 10) == [])
    }

    @Test("give way to a limited number")
    func limit() {
        begin(others: 100)
        var (started, connection) = (4, 4)
        for step in 1...40 {
            for case .start(let file) in scheduler.tick(at: Double(step) * 2) {
                started += 1
                connection += 1
                scheduler.request(connection, file: file)
                scheduler.release(connection)
            }
        }
        #expect(started == 4 + SchedulerState.mostReplacements)
    }

    @Test("count as before if the number of files is fixed")
    func fixed() {
        begin(others: 1)
        scheduler.set { $0.activeFiles = .fixed(4) }
        #expect(scheduler.tick(at: 10) == [] && scheduler.nextChange == nil)
        #expect(scheduler.replaceableFiles(at: 10) == 0)
    }

    @Test("let a queue outside the scheduler start others, although none waits here")
    func outside() {
        begin()
        #expect(scheduler.replaceableFiles(at: 1.9) == 0)
        #expect(scheduler.replaceableFiles(at: 2) == 4)
        _ = scheduler.state.toldNothing(1)
        #expect(scheduler.replaceableFiles(at: 2) == 3)
        #expect(scheduler.withdraw(1) == [])
    }

    @Test("cost a decision a constant number of inspections, however many are active")
    func cost() {
        scheduler.set { limits in
            (limits.activeFiles, limits.mostAutomaticFiles) = (.automatic, 1000)
            (limits.connections, limits.connectionsPerHost) = (2000, 2000)
        }
        for file in 1...5000 { scheduler.submit(file) }
        // Each small file admits others.
        for file in 1...1000 {
            scheduler.request(file, file: file)
            _ = scheduler.state.found(file, isLarge: false, isShared: false, now: scheduler.now)
        }
        #expect(scheduler.state.activeFiles == 1000)
        let before = scheduler.state.files.inspected
        var decisions = 0
        for round in 1...8 {
            scheduler.now += 0.5
            // A fifth of the files receives no response to its second request.
            for file in 1...1000 where round == 1 || file % 5 > 0 {
                let connection = file + round * 1000
                scheduler.release(connection - 1000)
                scheduler.request(connection, file: file)
                if file % 5 > 0 { _ = scheduler.state.toldNothing(connection) }
                decisions += 2
            }
        }
        #expect(scheduler.state.stalledFiles(now: scheduler.now).count == 200)
        #expect(scheduler.state.activeFiles > 1000)
        #expect(scheduler.state.files.inspected - before <= 4 * decisions)
    }
}
