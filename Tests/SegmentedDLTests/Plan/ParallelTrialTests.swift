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

    @Test("the silent one also shares bytes that it has claimed, however few", arguments: [2, 3000, 20_000])
    func claimed(rest: Int64) throws {
        var (plan, silent) = try plan()
        let received = Self.total - rest
        while plan.claim(silent.id, atMost: 100_000, now: 1) != nil {}
        _ = plan.note(silent.id, received: received, now: 1)
        #expect(plan.takeBackClaims(of: silent.id, from: received, now: 1.9) == nil)
        #expect(plan.takeBackClaims(of: silent.id, from: received, now: 2) == received)
        let second = try begin(&plan)
        #expect(second.start == received + (rest + 1) / 2)
        #expect(plan.countsEachByteOnce)
    }

    @Test("a cut connection ends if it has all of its bytes and nothing more comes")
    func cutInSilence() throws {
        var (plan, silent) = try plan()
        while plan.claim(silent.id, atMost: 100_000, now: 1) != nil {}
        _ = plan.note(silent.id, received: 990_000, now: 1)
        _ = plan.takeBackClaims(of: silent.id, from: 990_000, now: 2)
        let isOver = plan.note(silent.id, received: 990_000, now: 2)
        #expect(!isOver)
        plan.cut(silent.id)
        let isOverBehindCut = plan.note(silent.id, received: 990_000, now: 2)
        #expect(isOverBehindCut)
    }

    @Test("if both are silent, a steady host gets a third request, for the bytes of the second one")
    func repeats() throws {
        for isSteady in [true, false] {
            var (plan, silent) = try plan()
            plan.policy.isHostSteady = isSteady
            let second = try begin(&plan)
            plan.answered(second.id, now: 4.1)
            for step in 0...10 {
                _ = plan.claim(second.id, atMost: 2000, now: 4.1 + Double(step) / 100)
            }
            #expect(plan.replaceSlow(mayAdd: true, now: 6).isEmpty)
            #expect(plan.replaceSlow(mayAdd: true, now: 6.25) == (isSteady ? [second.id] : []))
            #expect(plan.hasOpenTrial == isSteady)
            #expect(plan.segments[silent.id]?.isRecalled == false)
            guard isSteady else { continue }
            plan.wrote(second.start..<second.start + 20_000)
            plan.release(second.id, now: 6.3)
            let third = try plan.nextSegment(now: 6.3)
            #expect(third.start == second.start + 20_000 && third.end == Self.total)
            #expect(plan.countsEachByteOnce)
        }
    }

    @Test("the bytes of a silent trial that ends after its successor are requested again")
    func endsLast() throws {
        var (plan, silent) = try plan()
        plan.policy.isHostSteady = true
        let second = try begin(&plan)
        plan.answered(second.id, now: 4.1)
        for step in 0...10 { _ = plan.claim(second.id, atMost: 2000, now: 4.1 + Double(step) / 100) }
        #expect(plan.replaceSlow(mayAdd: true, now: 6.25) == [second.id])
        let third = try plan.nextSegment(now: 6.25)
        plan.answered(third.id, now: 6.3)
        while let range = plan.claim(third.id, atMost: 100_000, now: 6.3) { plan.wrote(range) }
        plan.release(third.id, now: 6.3)
        plan.wrote(second.start..<second.start + 20_000)
        plan.release(second.id, now: 6.35)
        #expect(plan.segments[silent.id]?.end == second.start)
        let fourth = try plan.nextSegment(now: 6.35)
        #expect(fourth.start == second.start + 20_000 && fourth.end == third.start)
        #expect(plan.countsEachByteOnce)
    }

    @Test("a connection without a response is tried at a steady host alone", arguments: [true, false])
    func unanswered(isSteady: Bool) throws {
        var plan = SegmentPlan(total: Self.total)
        plan.noteSetup(0.1)
        plan.policy.isHostSteady = isSteady
        let first = try plan.nextSegment(now: 0)
        #expect(plan.replaceSlow(mayAdd: true, now: isSteady ? 1.9 : 2.9).isEmpty)
        #expect(!plan.hasOpenTrial)
        #expect(plan.replaceSlow(mayAdd: true, now: isSteady ? 2 : 3).isEmpty)
        #expect(plan.hasOpenTrial == isSteady)
        #expect(plan.segments[first.id]?.isRecalled == false)
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

    @Test("a rate limit does not hide the silence, unless it may cause it", arguments: [true, false])
    func heldBack(hidesSilence: Bool) throws {
        var (plan, _) = try plan()
        plan.heldBack(now: 4, hidesSilence: hidesSilence)
        #expect(plan.replaceSlow(mayAdd: true, now: 4).isEmpty)
        #expect(plan.hasOpenTrial == !hidesSilence)
    }

    @Test("without a free connection the silent one is given up")
    func noRoom() throws {
        var (plan, silent) = try plan()
        #expect(plan.replaceSlow(mayAdd: false, now: 4) == [silent.id])
    }
}
