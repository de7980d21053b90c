import Testing

@testable import SegmentedDL

@Suite("A trial next to a silent connection")
struct ParallelTrialTests {
    private static let total: Int64 = 1_000_000

    /// One connection that received for a second and then stalled; its response is the whole file.
    private func plan() throws -> (SegmentPlan, Segment) {
        var plan = SegmentPlan(total: Self.total)
        let segment = try plan.segment(at: 0, bodyEnd: Self.total, now: 0)
        for step in 0...10 { _ = plan.claim(segment.id, atMost: 20_000, now: Double(step) / 10) }
        return (plan, segment)
    }

    private func begin(_ plan: inout SegmentPlan) throws -> Segment {
        #expect(plan.replaceSlow(mayAdd: true, now: 4).isEmpty)
        #expect(plan.hasOpenTrial)
        let second = try plan.nextSegment(now: 4)
        #expect(!plan.hasOpenTrial)
        return second
    }

    @Test("the silent one keeps its bytes, and another one gets their second half")
    func keeps() throws {
        var (plan, silent) = try plan()
        let second = try begin(&plan)
        #expect(plan.segments[silent.id]?.isRecalled == false)
        #expect(plan.segments[silent.id]?.end == second.start)
        #expect(second.start == 610_000)
        #expect(second.end == Self.total)
        #expect(plan.countsEachByteOnce)
    }

    @Test("one that resumes reclaims its bytes if the other one has no response", arguments: [true, false])
    func takesBack(hasAsked: Bool) throws {
        var (plan, silent) = try plan()
        if hasAsked { _ = try begin(&plan) } else { plan.replaceSlow(mayAdd: true, now: 4) }
        var now = 8.0
        while let range = plan.claim(silent.id, atMost: 100_000, now: now) {
            #expect(range.upperBound <= Self.total)
            now += 0.01
        }
        #expect(plan.segments[silent.id]?.claimed == Self.total)
        #expect(plan.segments.values.allSatisfy { $0.id == silent.id || $0.isRecalled })
        #expect(plan.countsEachByteOnce)
    }

    @Test("one that resumes ends where the other one has a response")
    func answered() throws {
        var (plan, silent) = try plan()
        let second = try begin(&plan)
        plan.answered(second.id, now: 4.1)
        while plan.claim(silent.id, atMost: 100_000, now: 8) != nil {}
        #expect(plan.segments[silent.id]?.claimed == second.start)
        #expect(plan.segments[second.id]?.isRecalled == false)
        #expect(plan.countsEachByteOnce)
    }

    @Test("it is given up once the other one has received all of its bytes")
    func proven() throws {
        var (plan, silent) = try plan()
        let second = try begin(&plan)
        plan.answered(second.id, now: 4.1)
        while let range = plan.claim(second.id, atMost: 100_000, now: 4.2) { plan.wrote(range) }
        plan.release(second.id, now: 4.2)
        #expect(plan.replaceSlow(mayAdd: true, now: 4.25) == [silent.id])
        plan.wrote(0..<200_000)
        plan.release(silent.id, now: 4.25)
        let next = try plan.nextSegment(now: 4.25)
        #expect(next.start == 200_000)
        #expect(next.end == second.start)
        #expect(plan.countsEachByteOnce)
    }

    @Test("one extra connection is opened for it, and no second one after a refusal")
    func extra() throws {
        var (plan, _) = try plan()
        var workers = Workers(
            wanted: 1, most: 2, isMeasured: false,
            recovery: RetryState(policy: RetryPolicy(), hasAnswered: true))
        workers.began()
        #expect(workers.openings(in: &plan, now: 4) == 0)
        plan.replaceSlow(mayAdd: workers.mayAdd(now: 4), now: 4)
        #expect(workers.openings(in: &plan, now: 4) == 1)
        let second = try plan.nextSegment(now: 4)
        plan.release(second.id, now: 5)
        #expect(workers.openings(in: &plan, now: 5) == 0)
    }

    @Test("the silent one is given up after three more seconds if no other one has begun")
    func noPlace() throws {
        var (plan, silent) = try plan()
        #expect(plan.replaceSlow(mayAdd: true, now: 4).isEmpty)
        #expect(plan.replaceSlow(mayAdd: false, now: 6.9).isEmpty)
        #expect(plan.replaceSlow(mayAdd: false, now: 7) == [silent.id])
        #expect(plan.countsEachByteOnce)
    }

    @Test("without a free connection the silent one is given up")
    func noRoom() throws {
        var (plan, silent) = try plan()
        #expect(plan.replaceSlow(mayAdd: false, now: 4) == [silent.id])
    }
}
