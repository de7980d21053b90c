import Testing

@testable import SegmentedDL

@Suite("The plan of one file")
struct SegmentPlanTests {
    // MARK: Totals

    @Test("an empty file is complete from the start")
    func empty() {
        let plan = SegmentPlan(total: 0)
        #expect(plan.isComplete)
        #expect(plan.firstMissing == nil)
        #expect(plan.openings(now: 0) == 0)
    }

    @Test("a file of one byte needs that byte")
    func oneByte() throws {
        var plan = SegmentPlan(total: 1)
        #expect(!plan.isComplete)
        #expect(plan.firstMissing == 0)
        let segment = try plan.nextSegment(now: 0)
        let outcome = plan.claim(segment.id, atMost: 100, now: 0)
        #expect(outcome == 0..<1)
        let secondOutcome = plan.claim(segment.id, atMost: 100, now: 0)
        #expect(secondOutcome == nil)
        plan.wrote(0..<1)
        #expect(plan.isComplete)
        #expect(plan.firstMissing == nil)
    }

    @Test(
        "the first missing byte is found",
        arguments: [
            ([], 0), ([10..<20], 0), ([0..<10], 10), ([0..<10, 20..<30], 10), ([0..<99], 99),
            ([0..<100], nil),
        ] as [([ByteRange], Int64?)])
    func firstMissing(written: [ByteRange], expected: Int64?) {
        let plan = SegmentPlan(total: 100, written: ByteRangeSet(written))
        #expect(plan.firstMissing == expected)
        #expect(plan.isComplete == (expected == nil))
    }

    // MARK: Assigning

    @Test("a response gets the free range at the start of its body")
    func assignAtStart() throws {
        var plan = SegmentPlan(total: 1000)
        plan.divide(among: 4, minimum: 1)
        let segment = try plan.segment(at: 250, now: 0)
        #expect(segment.start == 250)
        #expect(segment.end == 500)
        #expect(plan.countsEachByteOnce)
        #expect(plan.free == [0..<250, 500..<750, 750..<1000])
    }

    @Test("a response that begins inside a free range leaves the part before it free")
    func assignInside() throws {
        var plan = SegmentPlan(total: 1000)
        let segment = try plan.segment(at: 400, now: 0)
        #expect(segment.start == 400)
        #expect(segment.end == 1000)
        #expect(plan.free == [0..<400])
        #expect(plan.countsEachByteOnce)
    }

    @Test("a response whose first byte is written or assigned is useless")
    func assignTaken() {
        var plan = SegmentPlan(total: 1000, written: ByteRangeSet(0..<100))
        let outcome = plan.assign(at: 50, now: 0)
        #expect(outcome == nil)
        let secondOutcome = plan.assign(at: 100, now: 0)
        #expect(secondOutcome != nil)
        let thirdOutcome = plan.assign(at: 100, now: 0)
        #expect(thirdOutcome == nil)
        let fourthOutcome = plan.assign(at: 1000, now: 0)
        #expect(fourthOutcome == nil)
        let fifthOutcome = plan.assign(at: -1, now: 0)
        #expect(fifthOutcome == nil)
    }

    @Test("free bytes precede a steal")
    func freeFirst() throws {
        let total: Int64 = 100 << 20
        var plan = SegmentPlan(total: total, written: ByteRangeSet(50 << 20..<51 << 20))
        let big = try plan.nextSegment(now: 0)
        #expect(big.start == 0)
        _ = plan.claim(big.id, atMost: 1, now: 0)
        let second = try plan.nextSegment(now: 1)
        #expect(second.start == 51 << 20)
        #expect(plan.segments[big.id]?.end == 50 << 20)
        #expect(plan.openings(now: 1) == 1)
        let third = try plan.nextSegment(now: 1)
        #expect(plan.segments.values.contains { $0.end == third.start })
        #expect(plan.countsEachByteOnce)
    }

    @Test("a stream of unknown length is never stolen from")
    func noStealFromStream() throws {
        var plan = SegmentPlan(total: nil)
        let stream = try plan.segment(at: 0, now: 0)
        #expect(stream.end == Int64.max)
        #expect(plan.openings(now: 10) == 0)
        let outcome = plan.next(now: 10)
        #expect(outcome == nil)
    }

    @Test("the segment that would end last is the victim")
    func lastIsStolenFrom() throws {
        var plan = SegmentPlan(total: 20 << 20)
        plan.divide(among: 2, minimum: 1)
        let fast = try plan.nextSegment(now: 0)
        let slow = try plan.nextSegment(now: 0)
        _ = plan.claim(fast.id, atMost: 1, now: 0)
        _ = plan.claim(slow.id, atMost: 1, now: 0)
        _ = plan.claim(fast.id, atMost: 5 << 20, now: 1)
        _ = plan.claim(slow.id, atMost: 1 << 20, now: 1)
        let thief = try plan.nextSegment(now: 1)
        #expect(thief.end == slow.end)
        #expect(plan.segments[slow.id]?.end == thief.start)
        #expect(plan.segments[fast.id]?.end == fast.end)
    }

    @Test("a steal never takes claimed bytes")
    func claimsAreSafe() throws {
        var plan = SegmentPlan(total: 10 << 20)
        let victim = try plan.nextSegment(now: 0)
        _ = plan.claim(victim.id, atMost: 8 << 20, now: 0)
        let thief = try plan.nextSegment(now: 1)
        #expect(thief.start >= 8 << 20)
        #expect(thief.end == 10 << 20)
        // The victim is cut at once: its claims end where the thief begins.
        let outcome = plan.claim(victim.id, atMost: Int64.max, now: 1)
        #expect(outcome == 8 << 20..<thief.start)
        let secondOutcome = plan.claim(victim.id, atMost: 1, now: 1)
        #expect(secondOutcome == nil)
        #expect(plan.countsEachByteOnce)
    }

    // MARK: Ending

    @Test("a release frees exactly what was not written")
    func release() throws {
        var plan = SegmentPlan(total: 1000)
        let segment = try plan.nextSegment(now: 0)
        let outcome = plan.claim(segment.id, atMost: 600, now: 0)
        #expect(outcome == 0..<600)
        plan.wrote(0..<400)
        plan.release(segment.id, now: 0)
        #expect(plan.segments.isEmpty)
        #expect(plan.free == [400..<1000])
        #expect(plan.countsEachByteOnce)
        plan.release(segment.id, now: 0)
        #expect(plan.free == [400..<1000])
    }

    @Test("freed bytes come first")
    func givenBackFirst() throws {
        var plan = SegmentPlan(total: 1000)
        plan.divide(among: 4, minimum: 1)
        let first = try plan.nextSegment(now: 0)
        plan.release(first.id, now: 0)
        let outcome = plan.next(now: 0)
        #expect(outcome?.start == 0)
    }

    @Test("retiring cuts the segment with most bytes left at its claims, and frees the rest")
    func retire() throws {
        var plan = SegmentPlan(total: 1000)
        plan.divide(among: 2, minimum: 1)
        let one = try plan.nextSegment(now: 0)
        let other = try plan.nextSegment(now: 0)
        _ = plan.claim(one.id, atMost: 300, now: 0)
        _ = plan.claim(other.id, atMost: 100, now: 0)
        plan.cutLongest()
        #expect(plan.segments[other.id]?.end == 600)
        #expect(plan.segments[one.id]?.end == 500)
        #expect(plan.free == [600..<1000])
        #expect(plan.countsEachByteOnce)
        let outcome = plan.claim(other.id, atMost: 10, now: 0)
        #expect(outcome == nil)
    }

    @Test("retiring has no effect if nothing is left to cut")
    func retireNothing() throws {
        var plan = SegmentPlan(total: 100)
        plan.cutLongest()
        #expect(plan.free == [0..<100])
        let segment = try plan.nextSegment(now: 0)
        _ = plan.claim(segment.id, atMost: 100, now: 0)
        plan.cutLongest()
        #expect(plan.free.isEmpty)
        #expect(plan.segments[segment.id]?.end == 100)
    }

    @Test("a stream's end is the file's length")
    func streamEnded() throws {
        var plan = SegmentPlan(total: nil)
        let segment = try plan.segment(at: 0, now: 0)
        let outcome = plan.claim(segment.id, atMost: 4096, now: 0)
        #expect(outcome == 0..<4096)
        plan.wrote(0..<1234)
        plan.streamEnded(at: 1234)
        #expect(plan.total == 1234)
        #expect(plan.isComplete)
        plan.release(segment.id, now: 0)
        #expect(plan.free.isEmpty)
        #expect(plan.isComplete)
    }

    @Test("a stream that ends at once is an empty file")
    func emptyStream() throws {
        var plan = SegmentPlan(total: nil)
        let segment = try plan.segment(at: 0, now: 0)
        plan.streamEnded(at: 0)
        plan.release(segment.id, now: 0)
        #expect(plan.isComplete)
        #expect(plan.free.isEmpty)
    }

    @Test("starting over forgets everything but the length")
    func startOver() throws {
        var plan = SegmentPlan(total: 1000)
        plan.divide(among: 4, minimum: 1)
        let segment = try plan.nextSegment(now: 0)
        _ = plan.claim(segment.id, atMost: 10, now: 3)
        plan.wrote(0..<10)
        plan.startOver()
        #expect(plan.total == 1000)
        #expect(plan.written.isEmpty)
        #expect(plan.segments.isEmpty)
        #expect(plan.free == [0..<1000])
        #expect(plan.firstMissing == 0)
    }

    // MARK: Measuring

    @Test("the setup time is that of the slowest first byte")
    func setupTime() throws {
        var plan = SegmentPlan(total: 1000)
        plan.divide(among: 3, minimum: 1)
        let one = try plan.nextSegment(now: 10)
        let other = try plan.nextSegment(now: 10)
        #expect(plan.receiving == 0)
        plan.answered(one.id, now: 0)
        #expect(plan.receiving == 1)
        _ = plan.claim(one.id, atMost: 10, now: 10.5)
        _ = plan.claim(other.id, atMost: 10, now: 12)
        // Only the first claim counts as the first byte.
        _ = plan.claim(one.id, atMost: 10, now: 20)
        #expect(plan.setupTime == 2)
    }

    @Test("a segment's speed is unknown until it has run a while")
    func speed() throws {
        var plan = SegmentPlan(total: 100_000)
        let segment = try plan.nextSegment(now: 0)
        #expect(plan.segments[segment.id]?.speed(at: 5) == nil)
        _ = plan.claim(segment.id, atMost: 20_000, now: 5)
        #expect(plan.segments[segment.id]?.speed(at: 5.01) == nil)
        // Less than a buffer may only serve to keep the connection alive.
        #expect(plan.segments[segment.id]?.speed(at: 7) == nil)
        _ = plan.claim(segment.id, atMost: 20_000, now: 5.1)
        // The most recently claimed bytes may not have been received yet.
        #expect(plan.segments[segment.id]?.speed(at: 7) == 10_000)
    }
}
