import Testing

@testable import SegmentedDL

@Suite("A response that extends beyond its segment")
struct ContinueTests {
    /// Four quarters of a file of 400 bytes; the first connection's response is the whole file.
    private func plan() throws -> (SegmentPlan, Segment) {
        var plan = SegmentPlan(total: 400)
        plan.divide(among: 4, minimum: 1)
        let first = try plan.segment(at: 0, bodyEnd: 400, now: 0)
        return (plan, first)
    }

    @Test("continues into all free bytes after it")
    func wholeRest() throws {
        var (plan, first) = try plan()
        plan.continueIntoFree(now: 0)
        #expect(plan.segments[first.id]?.end == 400)
        #expect(plan.free.isEmpty)
        #expect(plan.countsEachByteOnce)
    }

    @Test("continues into the bytes of connections that never get an answer")
    func unanswered() throws {
        var (plan, first) = try plan()
        plan.noteSetup(1)
        for _ in 0..<3 { _ = try plan.nextSegment(now: 0) }
        #expect(plan.claim(first.id, atMost: 400, now: 1) == 0..<100)
        // They may still be answered.
        #expect(plan.claim(first.id, atMost: 400, now: 3.9) == nil)
        #expect(plan.claim(first.id, atMost: 400, now: 4) == 100..<200)
        #expect(plan.claim(first.id, atMost: 400, now: 4) == 200..<300)
        #expect(plan.countsEachByteOnce)
        let last = try #require(plan.segments.values.first { $0.start == 300 })
        plan.answered(last.id, now: 4)
        #expect(plan.claim(first.id, atMost: 400, now: 9) == nil)
    }

    @Test("stops at another active connection")
    func untilTheNext() throws {
        var (plan, first) = try plan()
        let second = try plan.nextSegment(now: 0)
        _ = try plan.nextSegment(now: 0)
        plan.release(second.id, now: 0)
        plan.continueIntoFree(now: 0)
        #expect(plan.segments[first.id]?.end == 200)
        #expect(plan.free == [300..<400])
        #expect(plan.countsEachByteOnce)
    }

    @Test("continues only to the end of its body")
    func bodyEnd() throws {
        var plan = SegmentPlan(total: 400)
        plan.divide(among: 4, minimum: 1)
        let first = try plan.segment(at: 0, bodyEnd: 150, now: 0)
        plan.continueIntoFree(now: 0)
        #expect(plan.segments[first.id]?.end == 150)
        #expect(plan.free == [150..<200, 200..<300, 300..<400])
        #expect(plan.countsEachByteOnce)
    }

    @Test("does not reclaim bytes that were cut off deliberately")
    func recalled() throws {
        var plan = SegmentPlan(total: 2_000_000)
        plan.divide(among: 2, minimum: 1)
        let slow = try plan.nextSegment(now: 0)
        let fast = try plan.nextSegment(now: 0)
        for step in 0...20 {
            _ = plan.claim(slow.id, atMost: 10, now: Double(step) / 10)
            _ = plan.claim(fast.id, atMost: 10_000, now: Double(step) / 10)
        }
        plan.replaceSlow(now: 2)
        let end = plan.segments[slow.id]?.end
        plan.continueIntoFree(now: 0)
        #expect(plan.segments[slow.id]?.end == end)
    }

    @Test("continues by itself into an unrequested share, up to the next one")
    func byItself() throws {
        var (plan, first) = try plan()
        #expect(plan.reach(of: first, now: 0) == 200)
        _ = plan.claim(first.id, atMost: 100, now: 0)
        #expect(plan.claim(first.id, atMost: 30, now: 0) == 100..<130)
        #expect(plan.free == [200..<300, 300..<400])
        #expect(try plan.nextSegment(now: 0).start == 200)
        _ = plan.claim(first.id, atMost: 100, now: 0)
        let segment = try #require(plan.segments[first.id])
        #expect(plan.reach(of: segment, now: 0) == 200)
        #expect(plan.claim(first.id, atMost: 1, now: 0) == nil)
        #expect(plan.countsEachByteOnce)
    }

    @Test("continues piece by piece in order, as far as space permits, and not past a gap")
    func inOrder() throws {
        var plan = SegmentPlan(total: 400)
        plan.pieces = OrderedPieces(minimum: 50, most: 50)
        plan.horizon = 200
        let first = try plan.segment(at: 0, bodyEnd: 400, now: 0)
        #expect(first.end == 50)
        for piece in [0..<50, 50..<100, 100..<150] as [ByteRange] {
            #expect(plan.claim(first.id, atMost: 100, now: 0) == piece)
        }
        let second = try plan.nextSegment(now: 0)
        #expect(second.start == 150)
        #expect(plan.claim(first.id, atMost: 100, now: 0) == nil)
        plan.horizon = 400
        plan.wrote(0..<150)
        plan.release(first.id, now: 0)
        let third = try plan.nextSegment(now: 0)
        plan.release(second.id, now: 0)
        #expect(plan.claim(third.id, atMost: 100, now: 0) == 200..<250)
        // The piece below comes first.
        #expect(plan.claim(third.id, atMost: 100, now: 0) == nil)
        #expect(plan.countsEachByteOnce)
    }

    @Test("does not continue where it was cut, or beyond its body")
    func notByItself() throws {
        var (plan, first) = try plan()
        _ = plan.claim(first.id, atMost: 50, now: 0)
        plan.cut(first.id)
        #expect(plan.claim(first.id, atMost: 1, now: 0) == nil)
        #expect(plan.free.first == 50..<100)

        plan = SegmentPlan(total: 400)
        plan.divide(among: 4, minimum: 1)
        first = try plan.segment(at: 0, bodyEnd: 150, now: 0)
        _ = plan.claim(first.id, atMost: 100, now: 0)
        #expect(plan.claim(first.id, atMost: 100, now: 0) == 100..<150)
        #expect(plan.free == [150..<200, 200..<300, 300..<400])
        #expect(plan.countsEachByteOnce)
    }

    @Test("is not cut again at once")
    func noSteal() throws {
        var plan = SegmentPlan(total: 200_000_000)
        plan.divide(among: 2, minimum: 1)
        _ = try plan.segment(at: 0, bodyEnd: 200_000_000, now: 0)
        plan.continueIntoFree(now: 0)
        #expect(plan.openings(now: 4.9) == 0)
        #expect(plan.openings(now: 5.1) == 1)
        // If nothing was taken over, nothing changes.
        plan.continueIntoFree(now: 5.1)
        #expect(plan.openings(now: 5.2) == 1)
    }
}
