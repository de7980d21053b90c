import Testing

@testable import SegmentedDL

@Suite("The connections of one download")
struct WorkersTests {
    private func workers(_ wanted: Int) -> Workers {
        Workers(
            wanted: wanted, most: wanted, isMeasured: false,
            recovery: RetryState(policy: RetryPolicy(), hasAnswered: true))
    }

    private func plan(_ shares: Int) -> SegmentPlan {
        var plan = SegmentPlan(total: 1000)
        plan.divide(among: shares, minimum: 1)
        return plan
    }

    @Test("are as many as requested and useful")
    func add() {
        for (wanted, shares, expected) in [(4, 4, 4), (4, 2, 2), (2, 4, 2)] {
            var workers = workers(wanted)
            var plan = plan(shares)
            let added = workers.add(for: &plan, now: 0)
            #expect(added == expected)
            #expect(workers.running == expected)
        }
    }

    @Test("all begin at once over a distant line, where a speed takes many round trips to measure")
    func far() throws {
        for (segments, total, expected) in [
            (SegmentCount.automatic, 64 << 20, 7), (.fixed(16), 64 << 20, 15), (.fixed(16), 2 << 20, 3),
        ] as [(SegmentCount, Int64, Int)] {
            let distance = ServerDistance(roundTrip: 0.1, answer: 0.1)
            var configuration = Configuration()
            configuration.limits.connectionsPerHost = segments == .automatic ? 8 : 16
            var workers = Workers(
                fetching: total, from: 1, segments, configuration, setupTime: 0.2, distance: distance)
            var plan = SegmentPlan(total: total)
            plan.noteSetup(0.2)
            plan.note(distance)
            plan.divideByDistance(among: workers.wanted, minimum: distance.smallestSegment(1 << 20))
            _ = try plan.segment(at: 0, bodyEnd: Int64(total), now: 0)
            workers.began()
            #expect(workers.add(for: &plan, now: 0) == expected, "\(segments) \(total)")
        }
    }

    @Test("may be any number, even where slots are taken over")
    func greatestNumber() {
        var workers = workers(.max)
        workers.began()
        var plan = plan(4)
        #expect(workers.openings(in: &plan, spare: 1, now: 0) == 4)
    }

    @Test("that are measured wait for the first one's speed, and are added only if useful")
    func measured() throws {
        func workers() -> Workers {
            var workers = Workers(
                wanted: 8, most: 8, isMeasured: true,
                recovery: RetryState(policy: RetryPolicy(), hasAnswered: true))
            workers.began()
            return workers
        }
        // A megabyte per second, and a tenth of a second to connect.
        for (total, expected) in [(100_000_000, 7), (150_000, 0)] as [(Int64, Int)] {
            var workers = workers()
            var plan = SegmentPlan(total: total)
            plan.noteSetup(0.1)
            let first = try plan.segment(at: 0, now: 0)
            _ = plan.claim(first.id, atMost: 1, now: 0)
            #expect(workers.add(for: &plan, now: 0.01) == 0)
            _ = plan.claim(first.id, atMost: 100_000, now: 0.1)
            _ = plan.claim(first.id, atMost: 1, now: 0.1)
            // They would share the rate allowed by this program.
            #expect(workers.openings(in: &plan, isHeldBack: true, now: 0.1) == 0)
            #expect(workers.add(for: &plan, now: 0.1) == expected, "\(total)")
        }
        // The first sample proves nothing.
        var workers = workers()
        var plan = SegmentPlan(total: 100_000_000)
        _ = plan.assign(at: 0, now: 0)
        #expect(workers.add(for: &plan, now: 0.2) == 0)
        #expect(workers.add(for: &plan, now: 0.4) == 7)
    }

    @Test("are at most the requested number, including the first response's")
    func first() {
        var workers = workers(4)
        workers.began()
        var plan = plan(4)
        let added = workers.add(for: &plan, now: 0)
        #expect(added == 3)
    }

    @Test("are fewer for a while if the server did not answer some, whose slots can be taken")
    func unanswered() {
        var workers = workers(4)
        var plan = plan(8)
        #expect(workers.add(for: &plan, now: 0) == 4)
        workers.wentUnanswered(2, now: 10)
        for (now, isPaused) in [(10, true), (14.9, true), (15, false)] {
            #expect(workers.isPaused(now: now) == isPaused)
        }
        // Two are stalled, and two are active.
        #expect(workers.openings(in: &plan, spare: 2, now: 11) == 0)
        workers.ended()
        #expect(workers.openings(in: &plan, spare: 2, now: 11) == 1)
        #expect(workers.openings(in: &plan, now: 15) == 1)
        workers.wentUnanswered(2, now: 15)
        #expect(workers.isPaused(now: 24.9))
    }

    @Test("use an idle connection while others go unanswered, because the server may count it")
    func idle() throws {
        var workers = workers(4)
        var plan = plan(8)
        #expect(workers.add(for: &plan, now: 0) == 4)
        workers.wentUnanswered(3, now: 10)
        let segment = try plan.nextSegment(now: 0)
        #expect(workers.openings(in: &plan, now: 11) == 0)
        _ = plan.claim(segment.id, atMost: 1000, now: 11)
        plan.wrote(segment.start..<segment.end)
        plan.release(segment.id, now: 11)
        workers.ended()
        #expect(plan.idle == 1)
        #expect(workers.openings(in: &plan, now: 11) == 1)
    }

    @Test("one without further work frees its slot")
    func ended() {
        var workers = workers(1)
        var plan = plan(1)
        _ = workers.add(for: &plan, now: 0)
        workers.ended()
        #expect(workers.running == 0)
    }

    @Test("one that is retried keeps its slot, one that is dropped is not replaced")
    func failures() throws {
        var plan = plan(3)
        var workers = workers(3)
        _ = workers.add(for: &plan, now: 0)
        plan.answered(try plan.nextSegment(now: 0).id, now: 0)
        plan.answered(try plan.nextSegment(now: 0).id, now: 0)
        guard case .retry = workers.endedWith(.shortBody, plan: &plan, now: 0, jitter: 0) else {
            Issue.record("a short body is retried")
            return
        }
        #expect(workers.running == 3)
        guard case .drop = workers.endedWith(.refused(status: 403), plan: &plan, now: 0, jitter: 0) else {
            Issue.record("a refusal beside others is dropped")
            return
        }
        #expect(workers.running == 2)
        #expect(workers.wanted == 2)
    }

    /// The refusals of a download's connections after one of them has received bytes.
    struct Refusals: Sendable, CustomTestStringConvertible {
        var failure: TransferFailure
        var connections = 3
        /// True if the host may have banned a client that opened several connections.
        var mayBeBan = false
        /// The decisions about refusals at the same moment, and about later ones.
        var atOnce = ["retry"]
        var later = ["fail"]

        var testDescription: String { "\(failure), \(connections)" }

        static func ban(_ failure: TransferFailure, last: String) -> Refusals {
            Refusals(
                failure: failure, mayBeBan: true, atOnce: ["drop", "drop", "retry"],
                later: Array(repeating: "retry", count: 5) + [last])
        }
    }

    @Test(
        "refused after bytes arrived become one that is retried, if this may be a ban",
        arguments: [
            .ban(.refused(status: 403), last: "single stream"), .ban(.refused(status: 404), last: "fail"),
            .init(failure: .refused(status: 410)), .init(failure: .refused(status: 401)),
            // No other one was opened.
            .init(failure: .refused(status: 404), connections: 1),
            .init(failure: .expired(status: 403, at: 1_000_000_000), atOnce: ["fail"], later: []),
        ] as [Refusals])
    func refused(_ refusals: Refusals) throws {
        var plan = plan(refusals.connections)
        var workers = workers(refusals.connections)
        _ = workers.add(for: &plan, now: 0)
        let first = try plan.nextSegment(now: 0)
        _ = plan.claim(first.id, atMost: 10, now: 0)
        plan.wrote(first.start..<first.start + 10)
        plan.release(first.id, now: 0)
        func decision(now: Double) -> String {
            let decision = workers.endedWith(refusals.failure, plan: &plan, now: now, jitter: 1)
            #expect(workers.isBanned == refusals.mayBeBan)
            return decision.name
        }
        let atOnce = refusals.atOnce.map { _ in decision(now: 0) }
        #expect(atOnce == refusals.atOnce)
        if refusals.mayBeBan {
            #expect(workers.wanted == 1 && workers.running == 1)
            #expect(workers.openings(in: &plan, now: 0) == 0)
        }
        let later = refusals.later.indices.map { decision(now: Double($0 + 1) * 100) }
        #expect(later == refusals.later)
    }

    @Test(
        "the current response continues into bytes left by a failure, if it is the only one",
        arguments: [.failing(status: 500), .busy(status: 503, retryAfter: nil), .wrongRange("416")]
            as [TransferFailure])
    func lastAnswer(failure: TransferFailure) throws {
        var plan = SegmentPlan(total: 1000)
        plan.divide(among: 2, minimum: 1)
        var workers = workers(2)
        workers.began()
        let first = try plan.segment(at: 0, bodyEnd: 1000, now: 0)
        _ = plan.claim(first.id, atMost: 1, now: 0)
        workers.began()
        let second = try plan.nextSegment(now: 0)
        plan.release(second.id, now: 0)
        _ = workers.endedWith(failure, plan: &plan, now: 0, jitter: 0)
        #expect(plan.segments[first.id]?.end == 1000)
        #expect(plan.free.isEmpty)
    }
}

extension Workers {
    fileprivate mutating func add(for plan: inout SegmentPlan, now: Double) -> Int {
        let count = openings(in: &plan, now: now)
        for _ in 0..<count { began() }
        return count
    }

    /// Like `Transfer.ended`.
    fileprivate mutating func endedWith(
        _ failure: TransferFailure, plan: inout SegmentPlan, now: Double, jitter: Double
    ) -> RetryState.Decision {
        ended()
        let decision = failed(failure, plan: &plan, now: now, jitter: jitter)
        if case .retry = decision { began() }
        return decision
    }
}
