import Testing

@testable import SegmentedDL

@Suite("The account of the requests that a host still accepts")
struct QuotaAccountTests {
    /// Sends requests to a host that counts them in fixed windows, in virtual time. The first one is sent
    /// alone, and the responses arrive in another order than that of the requests.
    ///
    /// - Returns: The seconds until all are answered, and the number of refusals.
    private func run(
        requests: Int, quota: Int, span: Double, isPolicy: Bool = false
    ) -> (seconds: Double, refusals: Int) {
        var (limit, now, waiting, refusals) = (HostLimit(), 0.0, requests, 0)
        var (window, used, sent, answers) = (-span, 0, 0, 0)
        var underway: [(arrives: Double, ends: Double, said: RequestQuota?)] = []
        while waiting > 0 || !underway.isEmpty {
            while waiting > 0, underway.count < limit.allowance(upTo: answers > 0 ? 8 : 1, now: now) {
                limit.granted(now: now)
                let latency = 0.02 * Double(1 + sent * 7 % 5)
                underway.append((now + latency / 2, now + latency, nil))
                (waiting, sent) = (waiting - 1, sent + 1)
            }
            let changes =
                underway.map { $0.said == nil ? $0.arrives : $0.ends }
                + (waiting > 0 ? [limit.nextChange(now: now)].compactMap { $0 } : [])
            now = max(now, changes.min() ?? now)
            if let index = underway.firstIndex(where: { $0.said == nil && $0.arrives <= now }) {
                if now >= window + span { (window, used) = (now, 0) }
                used += 1
                if used > quota { refusals += 1 }
                underway[index].said =
                    isPolicy
                    ? RequestQuota(
                        left: quota - 1, resetSeconds: span, isOfOne: quota == 1, isPolicy: true)
                    : RequestQuota(
                        left: max(0, quota - used), resetSeconds: (window + span - now).rounded(.down) + 1,
                        isOfOne: quota == 1)
            } else if let index = underway.firstIndex(where: { $0.said != nil && $0.ends <= now }),
                let said = underway.remove(at: index).said
            {
                answers += 1
                limit.told(said, whileUnanswered: underway.count, now: now)
            }
        }
        return (now, refusals)
    }

    @Test(
        "uses each window up without a refusal, from the first request of the window on",
        arguments: [(26, 8, 4.0), (24, 2, 4), (6, 1, 2), (40, 5, 2), (60, 20, 10)], [false, true])
    func windows(window: (requests: Int, quota: Int, span: Double), isPolicy: Bool) {
        let (requests, quota, span) = window
        let (seconds, refusals) = run(requests: requests, quota: quota, span: span, isPolicy: isPolicy)
        #expect(refusals == 0)
        #expect(seconds < Double(requests / quota) * (span + 1) + 1)
    }

    @Test("requests that may use the quota up are no pause that the host requested")
    func assumedPause() {
        var limit = HostLimit()
        limit.told(RequestQuota(left: 1, resetSeconds: 10), whileUnanswered: 0, now: 0)
        limit.granted(now: 1)
        #expect(limit.pausedUntil == 10 && limit.requestedPauseUntil == 0)
        limit.told(RequestQuota(left: 0, resetSeconds: 8), whileUnanswered: 0, now: 2)
        #expect(limit.pausedUntil == 10 && limit.requestedPauseUntil == 10)
    }

    @Test("subtracts the requests without a response, and only those")
    func order() {
        var limit = HostLimit()
        limit.told(RequestQuota(left: 10, resetSeconds: 10), whileUnanswered: 0, now: 0)
        for _ in 0..<3 { limit.granted(now: 1) }
        #expect(limit.left(now: 1) == 7)
        // The last request was counted last, but is answered first.
        var left: [Int?] = []
        for (stated, others) in [(7, 2), (9, 1), (8, 0)] {
            limit.told(RequestQuota(left: stated, resetSeconds: 9), whileUnanswered: others, now: 2)
            left.append(limit.left(now: 2))
        }
        #expect(left == [5, 6, 7])
    }

    @Test("subtracts requests that were sent before the host stated anything")
    func first() {
        var limit = HostLimit()
        limit.told(RequestQuota(left: 7, resetSeconds: 4), whileUnanswered: 7, now: 0)
        #expect(limit.left(now: 0) == 0 && limit.nextChange(now: 0) == 4)
        limit.told(RequestQuota(left: 1, resetSeconds: 4), whileUnanswered: 0, now: 1)
        #expect(limit.left(now: 1) == 1 && limit.allowance(upTo: 8, now: 1) == 8)
    }

    @Test("returns a request whose response states nothing, but not one without a response")
    func uncounted() {
        var limit = HostLimit()
        limit.told(RequestQuota(left: 2, resetSeconds: 10), whileUnanswered: 0, now: 0)
        for _ in 0..<2 { limit.granted(now: 1) }
        limit.endsUnanswered(now: 1)
        #expect(limit.left(now: 1) == 0)
        limit.uncounted()
        #expect(limit.left(now: 1) == 1)
    }

    @Test("delays no request longer than a few seconds in a window that no response has stated")
    func silent() {
        var limit = HostLimit()
        limit.told(RequestQuota(left: 2, resetSeconds: 10), whileUnanswered: 0, now: 0)
        for _ in 0..<3 { limit.granted(now: 10) }
        let end = 10 + QuotaAccount.assumedSeconds
        #expect(limit.allowance(upTo: 8, now: 10) == 0 && limit.nextChange(now: 10) == end)
        let delay = limit.takeQuotaDelay(now: 10)
        #expect(delay == nil)
        #expect(limit.allowance(upTo: 8, now: end) == 8)
        for _ in 0..<20 { limit.granted(now: end) }
        #expect(limit.allowance(upTo: 8, now: end) == 8)
    }

    @Test("does not limit the requests of later windows for a host that always states 0")
    func always() {
        var (limit, granted) = (HostLimit(), [Int]())
        for window in 0..<3 {
            let now = Double(window) * 10
            var count = 0
            while count < 8, limit.allowance(upTo: 8, now: now) > 0 {
                limit.granted(now: now)
                count += 1
            }
            granted.append(count)
            limit.told(RequestQuota(left: 0, resetSeconds: 10), whileUnanswered: 0, now: now)
            #expect(limit.allowance(upTo: 8, now: now + 1) == 0)
        }
        #expect(granted == [8, 1, 8])
    }

    @Test(
        "delays requests over open connections, of a file only if it has been above 0",
        arguments: [true, false])
    func openConnections(needsProof: Bool) {
        var limit = HostLimit()
        limit.told(RequestQuota(left: 0, resetSeconds: 10), whileUnanswered: 0, now: 0)
        var mayAsk = [limit.grantedAgain(needsProof: needsProof, now: 1)]
        limit = HostLimit()
        limit.told(RequestQuota(left: 1, resetSeconds: 10), whileUnanswered: 0, now: 0)
        for _ in 0..<2 { mayAsk.append(limit.grantedAgain(needsProof: needsProof, now: 1)) }
        #expect(mayAsk == [needsProof, true, false])
        // The request that waits does not count.
        limit.uncounted()
        #expect(limit.left(now: 1) == 1)
    }

    @Test("outlives a limit that was learned by mistake")
    func restored() {
        var (limit, later) = (HostLimit(), HostLimit())
        later.told(RequestQuota(left: 3, resetSeconds: 10), whileUnanswered: 0, now: 0)
        limit.keepQuota(of: later)
        #expect(limit.left(now: 1) == 3)
    }

    @Test("of the scheduler subtracts the granted connections of the host until they are answered")
    func connections() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        for connection in 10..<13 { scheduler.request(connection, file: 1) }
        scheduler.request(13, file: 1, host: "b")
        func told(_ left: Int, _ connection: Int) -> [SchedulerState.Action] {
            scheduler.state.told(RequestQuota(left: left, resetSeconds: 10), of: connection, now: 0)
        }
        func left() -> Int? { scheduler.state.hosts["a"]?.left(now: 0) }
        _ = told(4, 10)
        #expect(left() == 2)
        // The body of an answered request may take long.
        _ = told(3, 11)
        #expect(left() == 2)
        // A permit over which nothing was sent is returned.
        _ = scheduler.state.release(12, isUnused: true, now: 0)
        #expect(left() == 3)
        let mayAsk = scheduler.state.asksAgain(10, now: 0)
        #expect(mayAsk && left() == 2)
        let isChange = scheduler.state.toldNothing(10)
        #expect(isChange && left() == 3)
    }

    @Test("of the scheduler does not apply a response to an earlier request to a new window")
    func older() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        for connection in 10..<12 { scheduler.request(connection, file: 1) }
        func told(_ left: Int, _ connection: Int, now: Double) -> Int? {
            let quota = RequestQuota(left: left, resetSeconds: 1)
            _ = scheduler.state.told(quota, of: connection, now: now)
            return scheduler.state.hosts["a"]?.left(now: now)
        }
        #expect(told(3, 10, now: 0) == 2)
        _ = scheduler.state.request(12, file: 1, host: "a", now: 1.5)
        #expect(told(0, 11, now: 1.6) == 2)
        // If both describe one window, the lower number applies.
        #expect(told(2, 12, now: 1.7) == 0)
    }

    @Test("of the scheduler reserves the last requests for the files that wait")
    func lookUps() {
        let scheduler = SchedulerDriver(files: 1)
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        func needsAll(_ host: String = "a") -> Bool { scheduler.state.needsWholeQuota(of: host, now: 0) }
        #expect(!needsAll())
        _ = scheduler.state.told(RequestQuota(left: 2, resetSeconds: 10), of: 10, now: 0)
        #expect(!needsAll())
        for file in 2..<4 { scheduler.submit(file) }
        #expect(needsAll() && !needsAll("b"))
    }
}
