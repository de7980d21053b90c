import Testing

@testable import SegmentedDL

@Suite("A connection far slower than its siblings")
struct CrawlTests {
    /// Two segments of a megabyte; the first receives `slow` bytes per second, the second `fast`.
    private func plan(slow: Int64, fast: Int64, seconds: Int) throws -> SegmentPlan {
        var plan = SegmentPlan(total: 2_000_000)
        plan.divide(among: 2, minimum: 1)
        let first = try plan.nextSegment(now: 0)
        let second = try plan.nextSegment(now: 0)
        for second10 in 0...(seconds * 10) {
            let now = Double(second10) / 10
            _ = plan.claim(first.id, atMost: max(1, slow / 10), now: now)
            _ = plan.claim(second.id, atMost: max(1, fast / 10), now: now)
        }
        return plan
    }

    @Test("is cut at its claims, and its rest is free for another")
    func replaced() throws {
        var plan = try plan(slow: 10_000, fast: 100_000, seconds: 2)
        let before = try #require(plan.segments[0])
        let fast = plan.segments[1]
        plan.retireCrawlers(now: 2)
        #expect(plan.segments[0]?.end == before.claimed)
        #expect(plan.next(now: 2)?.start == before.claimed)
        #expect(plan.segments[1] == fast)
    }

    @Test("is left alone where it is slower, but not far slower")
    func slower() throws {
        var plan = try plan(slow: 20_000, fast: 100_000, seconds: 2)
        plan.retireCrawlers(now: 2)
        #expect(plan.segments[0]?.remaining ?? 0 > 0)
    }

    @Test("is not judged before it has received for a while")
    func early() throws {
        var plan = SegmentPlan(total: 2_000_000)
        plan.divide(among: 2, minimum: 1)
        let first = try plan.nextSegment(now: 0)
        let second = try plan.nextSegment(now: 0)
        _ = plan.claim(first.id, atMost: 10, now: 0)
        for step in 0...4 { _ = plan.claim(second.id, atMost: 100_000, now: Double(step) / 10) }
        plan.retireCrawlers(now: 0.4)
        #expect(plan.segments[first.id]?.remaining ?? 0 > 0)
    }

    @Test("is measured against one that has just ended too, for a few seconds")
    func remembered() throws {
        var plan = try plan(slow: 10_000, fast: 100_000, seconds: 2)
        plan.release(1, now: 2)
        var later = plan
        plan.retireCrawlers(now: 3)
        #expect(plan.segments[0]?.remaining == 0)
        later.retireCrawlers(now: 2 + CrawlRule.memory + 0.1)
        #expect(later.segments[0]?.remaining ?? 0 > 0)
    }

    @Test("alone has nothing to be compared with")
    func alone() throws {
        var plan = SegmentPlan(total: 2_000_000)
        let only = try plan.nextSegment(now: 0)
        for step in 0...20 { _ = plan.claim(only.id, atMost: 10, now: Double(step) / 10) }
        plan.retireCrawlers(now: 2)
        #expect(plan.segments[only.id]?.remaining ?? 0 > 0)
    }
}
