import Testing

@testable import SegmentedDL

@Suite("A host's limit on the request rate")
struct HostRateTests {
    /// A host that refuses requests beyond a rate, like nginx (`limit_req`), in virtual time.
    private struct Host {
        /// Requests per second, and the size of a burst.
        var (rate, burst): (Double, Double)
        /// The seconds of a fixed window that accepts `burst` requests; `nil` for a steady rate.
        private var window: Double?
        private var used = 0
        private var room: Double
        private var last = 0.0

        init(rate: Double, burst: Double) {
            (self.rate, self.burst, room) = (rate, burst, burst + 1)
        }

        init(requests: Int, window: Double) {
            self.init(rate: 0, burst: Double(requests))
            (self.window, last) = (window, -window)
        }

        mutating func accepts(at now: Double) -> Bool {
            if let window {
                if now >= last + window { (last, used) = (now, 0) }
                used += 1
                return used <= Int(burst)
            }
            room = min(burst + 1, room + (now - last) * rate)
            last = now
            guard room >= 1 else { return false }
            room -= 1
            return true
        }
    }

    /// Requests files, each by one request that is repeated until it is served.
    ///
    /// - Returns: The seconds until all are complete, and the number of refusals.
    private func run(
        files: Int, at host: Host, latency: Double, retryAfter: Double? = nil
    ) -> (seconds: Double, refusals: Int) {
        var (host, limit, now) = (host, HostLimit(), 0.0)
        var underway: [(end: Double, isServed: Bool)] = []
        var (waiting, refusals) = (files, 0)
        while waiting > 0 || !underway.isEmpty {
            limit.recover(upTo: 8, now: now)
            while waiting > 0, underway.count < limit.allowance(upTo: 8, now: now) {
                limit.granted(now: now)
                underway.append((now + latency, host.accepts(at: now)))
                waiting -= 1
            }
            let changes =
                underway.map(\.end) + (waiting > 0 ? [limit.nextChange(now: now)].compactMap { $0 } : [])
            now = max(now, changes.min() ?? now)
            guard let index = underway.firstIndex(where: { $0.end <= now }) else { continue }
            if underway.remove(at: index).isServed {
                limit.worked()
            } else {
                limit.refused(whileOpen: underway.count, retryAfter: retryAfter, now: now)
                (waiting, refusals) = (waiting + 1, refusals + 1)
            }
        }
        return (now, refusals)
    }

    @Test(
        "is nearly used up, with few refusals",
        arguments: [(20.0, 3.0, 0.003), (20, 3, 0.05), (5, 0, 0.05), (2, 1, 0.1)])
    func used(rate: Double, burst: Double, latency: Double) {
        let (seconds, refusals) = run(files: 200, at: Host(rate: rate, burst: burst), latency: latency)
        #expect(seconds < 200 / rate * 1.35)
        #expect(refusals < 50)
    }

    @Test(
        "in windows is waited for with growing pauses, also if the host asks for none",
        arguments: [0.002, 0.05], [nil, 0.0])
    func windows(latency: Double, retryAfter: Double?) {
        let host = Host(requests: 8, window: 3)
        let (seconds, refusals) = run(files: 24, at: host, latency: latency, retryAfter: retryAfter)
        #expect(seconds < 12 && refusals < 20)
    }

    @Test("does not count the interval after a request as a pause")
    func interval() {
        var limit = HostLimit()
        limit.worked()
        limit.refused(whileOpen: 0, retryAfter: nil, now: 0)
        limit.granted(now: 1)
        limit.refused(whileOpen: 0, retryAfter: nil, now: 1)
        #expect(limit.pausedUntil == 2)
    }

    @Test("is forgotten when the host accepts more")
    func forgotten() {
        var limit = HostLimit()
        limit.worked()
        limit.refused(whileOpen: 0, retryAfter: nil, now: 0)
        let first = limit.interval
        #expect(first != nil && limit.cap == nil)
        for _ in 0..<500 { limit.worked() }
        #expect(limit.interval == nil)
        limit.granted(now: 100)
        #expect(limit.allowance(upTo: 4, now: 100) == 4)
    }

    @Test("is not assumed for a host that serves nothing, does not respond, or states a wait")
    func others() {
        var limit = HostLimit()
        limit.refused(whileOpen: 0, retryAfter: nil, now: 0)
        #expect(limit.interval == nil)
        limit.worked()
        limit.refused(whileOpen: 0, retryAfter: 3, now: 10)
        #expect(limit.interval == nil && limit.pausedUntil == 13)
        limit.worked()
        limit.refused(whileOpen: 0, retryAfter: nil, isAnswer: false, now: 20)
        #expect(limit.interval == nil)
        limit = HostLimit()
        limit.worked()
        limit.refused(whileOpen: 2, retryAfter: nil, now: 30)
        #expect(limit.interval == nil && limit.cap == 2)
    }

    @Test("refusals of simultaneous requests count once, and a later one again")
    func together() throws {
        var limit = HostLimit()
        limit.worked()
        limit.refused(whileOpen: 0, retryAfter: nil, now: 1)
        let first = try #require(limit.interval)
        limit.worked()
        limit.refused(whileOpen: 1, retryAfter: nil, now: 1.1)
        #expect(try #require(limit.interval) <= first)
        limit.worked()
        limit.refused(whileOpen: 0, retryAfter: nil, now: 2)
        #expect(try #require(limit.interval) > first)
    }
}
