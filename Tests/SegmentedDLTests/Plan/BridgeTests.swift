import Testing

@testable import SegmentedDL

@Suite("Bytes on disk between a segment and free bytes")
struct BridgeTests {
    /// A connection fetches the first 100 bytes, and its response is the whole file. The ten bytes after them
    /// are on disk; the rest is free.
    private func plan() throws -> (SegmentPlan, Segment) {
        var plan = SegmentPlan(total: 400, written: ByteRangeSet(100..<110))
        let first = try plan.segment(at: 0, bodyEnd: 400, now: 0)
        return (plan, first)
    }

    @Test("are received again if they are few")
    func crossed() throws {
        var (plan, first) = try plan()
        plan.continueIntoFree(now: 0)
        #expect(plan.segments[first.id]?.end == 400)
        #expect(plan.free.isEmpty)
        #expect(plan.countsEachByteOnce)
    }

    @Test("are not fetched again by others after a cut before them")
    func cut() throws {
        var (plan, first) = try plan()
        plan.continueIntoFree(now: 0)
        _ = plan.claim(first.id, atMost: 50, now: 0)
        plan.cut(first.id)
        #expect(plan.free == [50..<100, 110..<400])
        #expect(plan.countsEachByteOnce)
    }

    @Test("are not overwritten if their origin matters")
    func kept() throws {
        var (plan, first) = try plan()
        plan.mayRewrite = false
        plan.continueIntoFree(now: 0)
        #expect(plan.segments[first.id]?.end == 100)
        #expect(plan.free == [110..<400])
        #expect(plan.countsEachByteOnce)
    }

    @Test("do not matter to a segment directly followed by free bytes")
    func adjacent() throws {
        var plan = SegmentPlan(total: 400)
        plan.divide(among: 2, minimum: 1)
        plan.mayRewrite = false
        let first = try plan.segment(at: 0, bodyEnd: 400, now: 0)
        plan.continueIntoFree(now: 0)
        #expect(plan.segments[first.id]?.end == 400)
    }
}
