import Testing

@testable import SegmentedDL

@Suite("A slow connection at the end, while others are idle")
struct ReliefTests {
    /// Two segments of a megabyte after a second: a fast one that is nearly complete, and one that receives
    /// `slow` bytes per second and has claimed everything.
    private func plan(slow: Int64, fast: Int64 = 900_000, setup: Double = 0.05) throws -> SegmentPlan {
        var plan = SegmentPlan(total: 2_000_000)
        plan.noteSetup(setup)
        plan.divide(among: 2, minimum: 1)
        let first = try plan.nextSegment(now: 0)
        let second = try plan.nextSegment(now: 0)
        _ = plan.claim(first.id, atMost: .max, now: 0)
        _ = plan.claim(second.id, atMost: .max, now: 0)
        for step in 1...10 as ClosedRange<Int64> {
            let now = Double(step) / 10
            _ = plan.note(first.id, received: slow * step / 10, now: now)
            _ = plan.note(second.id, received: second.start + fast * step / 10, now: now)
        }
        return plan
    }

    @Test("is given up with its claims")
    func relieved() throws {
        var plan = try plan(slow: 100_000)
        plan.replaceOvertaken(now: 1)
        #expect(plan.segments[0]?.isRecalled == true)
        #expect(plan.segments[1]?.isRecalled == false)
        plan.wrote(0..<100_000)
        plan.release(0, now: 1)
        #expect(try plan.nextSegment(now: 1).start == 100_000)
        #expect(plan.countsEachByteOnce)
    }

    @Test("is left alone if a new one would need more than half its time")
    func notMuchFaster() throws {
        var plan = try plan(slow: 500_000)
        plan.replaceOvertaken(now: 1)
        #expect(plan.segments[0]?.isRecalled == false)
    }

    @Test("is left alone if the setup of a new one would take too long")
    func setup() throws {
        var plan = try plan(slow: 300_000, setup: 2)
        plan.replaceOvertaken(now: 1)
        #expect(plan.segments[0]?.isRecalled == false)
    }

    @Test("is left alone if hardly any time would be saved")
    func smallGain() throws {
        var plan = try plan(slow: 100_000, setup: 0)
        _ = plan.note(0, received: 995_000, now: 1)
        plan.replaceOvertaken(now: 1)
        #expect(plan.segments[0]?.isRecalled == false)
    }

    @Test("is not considered while other bytes are free")
    func otherWork() throws {
        var plan = try plan(slow: 100_000)
        plan.release(1, now: 1)
        plan.replaceOvertaken(now: 1)
        #expect(plan.segments[0]?.isRecalled == false)
    }

    @Test("is given up without a response, too, after twice the time of one")
    func unanswered() throws {
        for (now, isRelieved) in [(0.4, false), (0.8, true)] {
            var plan = SegmentPlan(total: 2_000_000)
            plan.noteSetup(0.2)
            plan.divide(among: 3, minimum: 1)
            let silent = try plan.nextSegment(now: 0)
            for _ in 0..<2 {
                let other = try plan.nextSegment(now: 0)
                _ = plan.claim(other.id, atMost: .max, now: 0.1)
                _ = plan.note(other.id, received: other.end - 1, now: now)
            }
            plan.replaceOvertaken(now: now)
            #expect(plan.segments[silent.id]?.isRecalled == isRelieved, "at \(now)")
        }
    }

    @Test("is given up without a response if nothing arrives any more, because it may never be served")
    func unansweredInSilence() throws {
        for (now, isRelieved) in [(1.9, false), (2, true)] {
            var plan = SegmentPlan(total: 2_000_000)
            plan.noteSetup(0.2)
            plan.divide(among: 2, minimum: 1)
            let silent = try plan.nextSegment(now: 0)
            let other = try plan.nextSegment(now: 0)
            _ = plan.claim(other.id, atMost: .max, now: 0.1)
            plan.wrote(other.start..<other.end)
            plan.release(other.id, now: 0.5)
            plan.replaceOvertaken(now: now)
            #expect(plan.segments[silent.id]?.isRecalled == isRelieved, "at \(now)")
        }
    }

    @Test("that finally responds continues as far as its bytes are still free")
    func answeredLate() throws {
        var plan = SegmentPlan(total: 1000)
        plan.divide(among: 2, minimum: 1)
        let late = try plan.nextSegment(now: 0)
        let other = try plan.nextSegment(now: 0)
        plan.recall([late.id, other.id], mayResume: true)
        plan.answered(late.id, now: 5)
        #expect(plan.segments[late.id]?.isRecalled == false)
        #expect(plan.segments[late.id]?.end == 500)
        #expect(plan.segments[late.id]?.began == 5)
        let taken = try plan.nextSegment(now: 5)
        #expect(taken.start == 500)
        plan.answered(other.id, now: 5)
        #expect(plan.segments[other.id]?.isRecalled == true)
        #expect(plan.countsEachByteOnce)
    }

    @Test("that finally responds stays given up if its source is no longer used")
    func excludedSource() throws {
        for wasSilent in [false, true] {
            var plan = SegmentPlan(total: 1000)
            let late = try plan.nextSegment(now: 0)
            if wasSilent { plan.recall([late.id], mayResume: true) }
            plan.recall([late.id])
            plan.answered(late.id, now: 5)
            #expect(plan.segments[late.id]?.isRecalled == true)
            #expect(try plan.nextSegment(now: 5).start == 0)
        }
    }

    @Test("has no comparison if it is the only one ever")
    func alone() throws {
        var plan = SegmentPlan(total: 1_000_000)
        let only = try plan.nextSegment(now: 0)
        _ = plan.claim(only.id, atMost: .max, now: 0)
        for step in 1...10 { _ = plan.note(only.id, received: Int64(step), now: Double(step)) }
        plan.replaceOvertaken(now: 10)
        #expect(plan.segments[only.id]?.isRecalled == false)
    }
}
