import Testing

@testable import SegmentedDL

@Suite("A file fetched in order")
struct OrderedPiecesTests {
    private static let mebibyte: Int64 = 1024 * 1024

    private func plan(_ total: Int64) -> SegmentPlan {
        var plan = SegmentPlan(total: total)
        plan.pieces = OrderedPieces(minimum: Self.mebibyte)
        return plan
    }

    @Test("a piece is the bytes of one second, within bounds")
    func length() {
        let pieces = OrderedPieces(minimum: Self.mebibyte)
        func length(_ speed: Double?) -> Int64 { pieces.first(of: 0..<Int64.max, speed: speed).length }
        #expect(length(nil) == Self.mebibyte)
        #expect(length(1000) == Self.mebibyte)
        #expect(length(3_000_000) == 3_000_000)
        #expect(length(1e9) == 4 * Self.mebibyte)
        #expect(length(.infinity) == 4 * Self.mebibyte)
    }

    @Test("no rest is shorter than the minimum, and a minimum above 4 MiB counts")
    func rest() {
        let pieces = OrderedPieces(minimum: 1000, most: 4000)
        #expect(pieces.first(of: 10..<5009, speed: 1e9) == 10..<5009)
        #expect(pieces.first(of: 10..<5010, speed: 1e9) == 10..<4010)
        #expect(pieces.first(of: 10..<20, speed: nil) == 10..<20)
        #expect(OrderedPieces(minimum: 16 * Self.mebibyte).largest == 16 * Self.mebibyte)
        #expect(OrderedPieces(minimum: 16 * Self.mebibyte, most: 4000).smallest == 4000)
    }

    @Test("connections get consecutive pieces, and so does the first response's body")
    func inTurn() throws {
        var plan = plan(100 * Self.mebibyte)
        plan.divide(among: 4, minimum: Self.mebibyte)
        plan.divideInOrder(among: 4, minimum: Self.mebibyte)
        let first = try plan.segment(at: 0, bodyEnd: 100 * Self.mebibyte, now: 0)
        #expect(first.start == 0 && first.end == Self.mebibyte)
        for number in 1..<100 {
            #expect(plan.openings(now: 0, atMost: 4) >= min(4, 100 - number))
            let segment = try plan.nextSegment(now: 0)
            #expect(segment.start == Int64(number) * Self.mebibyte)
            #expect(plan.countsEachByteOnce)
        }
        #expect(plan.free.isEmpty)
    }

    @Test("the lowest freed bytes are fetched next")
    func givenBack() throws {
        var plan = plan(100 * Self.mebibyte)
        let segments = try (0..<4).map { _ in try plan.nextSegment(now: 0) }
        plan.release(segments[1].id, now: 1)
        plan.release(segments[3].id, now: 1)
        let next = try (0..<3).map { _ in try plan.nextSegment(now: 1).start }
        #expect(next == [segments[1].start, segments[3].start, 4 * Self.mebibyte])
        #expect(plan.countsEachByteOnce)
    }

    @Test("at the end the first active segment is helped")
    func steals() throws {
        var plan = plan(8 * Self.mebibyte)
        // From here on the speed is known.
        plan.pieces = OrderedPieces(minimum: 4 * Self.mebibyte)
        let (low, high) = (try plan.nextSegment(now: 0), try plan.nextSegment(now: 0))
        for segment in [low, high] {
            _ = plan.claim(segment.id, atMost: 1000, now: 0)
            _ = plan.note(segment.id, received: segment.start + (segment.id == low.id ? 900 : 100), now: 1)
        }
        // The second one would end last, but the first one is needed first.
        let helper = try plan.nextSegment(now: 1)
        #expect(helper.start > low.start && helper.end == low.end)
        #expect(plan.countsEachByteOnce)
    }

    @Test("a connection that continued alone frees all but a piece")
    func continuedAlone() throws {
        var plan = plan(100 * Self.mebibyte)
        let first = try plan.segment(at: 0, bodyEnd: 100 * Self.mebibyte, now: 0)
        plan.continueIntoFree(now: 0)
        #expect(plan.segments[first.id]?.end == 100 * Self.mebibyte)
        // After that, no connection steals for a while.
        let helper = try plan.nextSegment(now: 10)
        #expect(helper.start <= 4 * Self.mebibyte)
        #expect(helper.end - helper.start < 2 * Self.mebibyte)
        #expect(try plan.nextSegment(now: 10).start == helper.end)
        #expect(plan.countsEachByteOnce)
    }
}
