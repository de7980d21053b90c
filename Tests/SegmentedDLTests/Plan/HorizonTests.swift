import Testing

@testable import SegmentedDL

@Suite("A plan with space for a part of the file")
struct HorizonTests {
    private func plan(_ total: Int64, horizon: Int64) -> SegmentPlan {
        var plan = SegmentPlan(total: total)
        plan.pieces = OrderedPieces(minimum: 100, most: 100)
        plan.horizon = horizon
        return plan
    }

    @Test("assigns only whole pieces that fit, and the next ones when more fit")
    func pieces() throws {
        var plan = plan(1000, horizon: 250)
        #expect(plan.openings(now: 0, atMost: 10) == 2)
        let segments = [try plan.nextSegment(now: 0), try plan.nextSegment(now: 0)]
        #expect(segments.map { $0.start..<$0.end } == [0..<100, 100..<200])
        #expect(plan.next(now: 0) == nil && plan.openings(now: 0) == 0)
        #expect(plan.countsEachByteOnce)
        plan.horizon = 300
        let next = try plan.nextSegment(now: 0)
        #expect(next.start..<next.end == 200..<300)
    }

    @Test("a failed piece is assigned again, whatever space remains after it")
    func again() throws {
        var plan = plan(1000, horizon: 250)
        let first = try plan.nextSegment(now: 0)
        _ = try plan.nextSegment(now: 0)
        plan.release(first.id, now: 1)
        let again = try plan.nextSegment(now: 1)
        #expect(again.start..<again.end == 0..<100)
    }

    @Test("a connection that continues alone ends at the space limit")
    func continues() throws {
        var plan = plan(1000, horizon: 250)
        let segment = try plan.segment(at: 0, bodyEnd: 1000, now: 0)
        #expect(segment.end == 100)
        plan.continueIntoFree(now: 0)
        #expect(plan.segments[segment.id]?.end == 250)
        #expect(plan.free == [250..<1000])
        #expect(plan.countsEachByteOnce)
    }

    @Test(
        "each connection has two pieces in a window, and the largest piece fits",
        arguments: [1, 2, 8, 500])
    func shares(connections: Int) {
        let window: Int64 = 56_000_000
        let pieces = OrderedPieces(
            minimum: 1024 * 1024, window: window, of: window + 1, connections: connections)
        #expect(pieces.largest * Int64(max(connections, 2)) * 2 <= window)
        #expect(pieces.smallest <= pieces.largest && pieces.largest <= OrderedPieces.largestBytes)
        // The maximum piece of a range must fit if nothing else is waiting.
        #expect(pieces.largest + pieces.smallest <= window)
    }

    @Test(
        "a window that holds the file has a piece for each connection, none of them below the minimum",
        arguments: [(3_000_000, 2, 1_500_000), (3_000_000, 8, 1_048_576), (64_000_000, 4, 4_194_304)])
    func whole(length: Int64, connections: Int, largest: Int64) {
        let pieces = OrderedPieces(
            minimum: 1024 * 1024, window: length, of: length, connections: connections)
        #expect(pieces.largest == largest)
        #expect(pieces.smallest == 1024 * 1024)
    }
}
