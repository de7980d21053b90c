import Testing

@testable import SegmentedDL

@Suite("Silence on all connections")
struct SilenceTests {
    /// Connections that all received for a second and then stalled.
    private func plan(_ connections: Int) throws -> SegmentPlan {
        var plan = SegmentPlan(total: Int64(connections) * 1_000_000)
        plan.divide(among: connections, minimum: 1)
        for _ in 0..<connections { plan.answered(try plan.nextSegment(now: 0).id, now: 0) }
        for step in 0...10 {
            for id in 0..<connections { _ = plan.claim(id, atMost: 2000, now: Double(step) / 10) }
        }
        return plan
    }

    private func recalled(_ plan: SegmentPlan) -> Int { plan.segments.values.count { $0.isRecalled } }

    @Test(
        "one is given up after three seconds as a trial, and no other before bytes arrive again",
        arguments: [2, 3])
    func trial(connections: Int) throws {
        var plan = try plan(connections)
        var times: [Double] = []
        for step in 4...60 {
            let now = Double(step) / 4
            let before = recalled(plan)
            plan.replaceSlow(now: now)
            if recalled(plan) > before { times.append(now) }
        }
        #expect(times == [4])
        #expect(plan.countsEachByteOnce)
    }

    @Test("over a long line one of several is given up after a second, and all others after the trial")
    func longLine() throws {
        var plan = SegmentPlan(total: 8_000_000)
        plan.note(ServerDistance(roundTrip: 0.04, answer: 0.04))
        plan.divide(among: 4, minimum: 1)
        for _ in 0..<4 { plan.answered(try plan.nextSegment(now: 0).id, now: 0) }
        for step in 0...20 {
            for id in 0..<4 { _ = plan.claim(id, atMost: 20_000, now: Double(step) / 10) }
        }
        plan.replaceSlow(now: 2.75)
        #expect(recalled(plan) == 0)
        plan.replaceSlow(now: 3)
        #expect(recalled(plan) == 1)
        let given = try #require(plan.segments.values.first { $0.isRecalled })
        plan.release(given.id, now: 3)
        let new = try plan.nextSegment(now: 3)
        plan.answered(new.id, now: 3.1)
        for step in 1...14 { _ = plan.claim(new.id, atMost: 20_000, now: 3.1 + Double(step) / 10) }
        plan.replaceSlow(now: 4.5)
        #expect(recalled(plan) == 3)
        #expect(plan.segments[new.id]?.isRecalled == false)
    }

    @Test("no tail is taken from connections that have received a few bytes: a new one would wait as well")
    func trickle() throws {
        var plan = SegmentPlan(total: 8_000_000)
        plan.divide(among: 2, minimum: 1)
        for _ in 0..<2 { plan.answered(try plan.nextSegment(now: 0).id, now: 0) }
        for id in 0..<2 { _ = plan.claim(id, atMost: 16_384, now: 0.1) }
        for id in 0..<2 { _ = plan.note(id, received: Int64(id) * 4_000_000 + 1, now: 0.1) }
        #expect(plan.openings(now: 3) == 0)
        #expect(plan.next(now: 3) == nil)
    }

    @Test("the only one is given up as well, and a new one gets its rest")
    func alone() throws {
        var plan = try plan(1)
        plan.replaceSlow(now: 3.9)
        #expect(recalled(plan) == 0)
        plan.replaceSlow(now: 4)
        #expect(recalled(plan) == 1)
        plan.wrote(0..<10_000)
        plan.release(0, now: 4)
        let next = try plan.nextSegment(now: 4)
        #expect(next.start == 10_000)
        #expect(next.end == 1_000_000)
        #expect(plan.countsEachByteOnce)
    }

    @Test("a single byte restarts the timeouts")
    func byte() throws {
        var plan = try plan(2)
        _ = plan.note(0, received: 20_500, now: 3.9)
        plan.replaceSlow(now: 6.8)
        // The other one has been silent for longer, and is replaced for that; this one is not.
        #expect(plan.segments[0]?.isRecalled == false)
    }

    @Test("the last one is not relied on when it is silent, too")
    func notReliedOn() throws {
        var plan = SegmentPlan(total: 2_000_000)
        plan.divide(among: 2, minimum: 1)
        // Its response is the whole file, so it could continue into the bytes returned by the other one.
        let first = try plan.segment(at: 0, bodyEnd: 2_000_000, now: 0)
        let second = try plan.nextSegment(now: 0)
        plan.answered(second.id, now: 0)
        for step in 0...10 {
            for id in [first.id, second.id] { _ = plan.claim(id, atMost: 2000, now: Double(step) / 10) }
        }
        plan.replaceSlow(now: 4)
        plan.release(first.id, now: 4)
        let next = try plan.nextSegment(now: 4)
        #expect(next.start == first.start)
    }
}
