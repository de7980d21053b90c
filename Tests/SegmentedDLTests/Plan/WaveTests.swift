import Testing

@testable import SegmentedDL

@Suite("Steals at the end, when all connections end together")
struct WaveTests {
    /// Eight connections of 10 MB/s: each has 2 MB left, and one has just ended.
    private func plan() throws -> SegmentPlan {
        var plan = SegmentPlan(total: 80_000_000)
        plan.divide(among: 8, minimum: 1)
        for _ in 0..<8 { plan.answered(try plan.nextSegment(now: 0).id, now: 0) }
        for step in 0...8 {
            for id in 0..<8 { _ = plan.claim(id, atMost: 1_000_000, now: Double(step) / 10) }
        }
        plan.wrote(0..<10_000_000)
        plan.release(0, now: 0.85)
        return plan
    }

    @Test("stolen bytes are not cut again at once, and not into ever smaller pieces")
    func once() throws {
        var plan = try plan()
        var stolen: [Segment] = []
        while let segment = plan.next(now: 0.85) { stolen.append(segment) }
        #expect(!stolen.isEmpty)
        for segment in stolen { #expect(plan.segments[segment.id]?.end == segment.end) }
        #expect(plan.countsEachByteOnce)
    }

    @Test("a segment that others wait for is cut, although its speed is unknown")
    func waited() throws {
        var plan = SegmentPlan(total: 2_000_000)
        let first = try plan.nextSegment(now: 0)
        #expect(plan.next(now: 0.31) != nil)
        #expect(try #require(plan.segments[first.id]).end < 2_000_000)
    }

    @Test(
        "two connections of a fast server end with their shares, and cut nothing below the smallest segment")
    func fast() throws {
        let mebibyte: Int64 = 1 << 20
        var plan = SegmentPlan(total: 8 * mebibyte)
        plan.minimum = mebibyte
        plan.divide(among: 2, minimum: mebibyte)
        let (first, second) = (try plan.nextSegment(now: 0), try plan.nextSegment(now: 0))
        for segment in [first, second] { plan.answered(segment.id, now: 0) }
        // Too early for a speed: 4 MiB in 40 ms, while the other one has 3 MiB left.
        _ = plan.claim(first.id, atMost: 4 * mebibyte, now: 0.01)
        _ = plan.claim(second.id, atMost: mebibyte, now: 0.01)
        plan.wrote(first.start..<first.end)
        plan.release(first.id, now: 0.04)
        #expect(plan.next(now: 0.04) == nil)
        // It has become slow.
        #expect(plan.next(now: 0.4) != nil)
        #expect(plan.countsEachByteOnce)
    }

    @Test("without a known speed, nothing below the minimum segment is cut from a new one")
    func smallest() throws {
        for (mebibytes, isCut) in [(2, true), (1, false)] as [(Int64, Bool)] {
            var plan = SegmentPlan(total: mebibytes << 20)
            plan.minimum = 1 << 20
            plan.answered(try plan.nextSegment(now: 0).id, now: 0)
            #expect((plan.next(now: 0.1) != nil) == isCut)
            // It is slow, so the end would have to wait for it.
            #expect(plan.next(now: 0.31) != nil)
        }
    }
}
