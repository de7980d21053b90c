import Testing

@testable import SegmentedDL

@Suite("Dividing bytes that are hashed in order")
struct DivideInOrderTests {
    private static let mebibyte: Int64 = 1024 * 1024

    private func pieces(_ total: Int64, _ connections: Int, minimum: Int64 = mebibyte) -> [ByteRange] {
        var plan = SegmentPlan(total: total)
        plan.divideInOrder(among: connections, minimum: minimum)
        return plan.free
    }

    @Test("nothing is lost or duplicated", arguments: [0, 1, 2, 10, 4097, 1_000_003, 1 << 40] as [Int64])
    func partition(total: Int64) {
        for connections in [1, 2, 3, 8, 100] {
            for minimum: Int64 in [1, 65_536, Self.mebibyte] {
                var plan = SegmentPlan(total: total)
                plan.divideInOrder(among: connections, minimum: minimum)
                #expect(plan.countsEachByteOnce, "\(total) bytes, \(connections) connections, \(minimum)")
                #expect(plan.free.allSatisfy { !$0.isEmpty })
            }
        }
    }

    @Test("the maximum number of connections works")
    func greatest() {
        #expect(pieces(40 * Self.mebibyte, .max).map(\.length) == Array(repeating: Self.mebibyte, count: 40))
    }

    @Test("pieces are consecutive and get smaller, so that the last ones are short")
    func shrinking() throws {
        let pieces = pieces(1024 * Self.mebibyte, 4)
        #expect(pieces.map(\.lowerBound) == pieces.map(\.lowerBound).sorted())
        #expect(pieces.first?.length == 128 * Self.mebibyte)
        #expect(try #require(pieces.last).length <= 32 * Self.mebibyte)
        #expect(pieces.count < 40)
        for (one, next) in zip(pieces, pieces.dropFirst().dropLast()) { #expect(next.length <= one.length) }
    }

    @Test("a short file gives each connection one piece")
    func short() {
        #expect(pieces(40 * Self.mebibyte, 4).map(\.length) == Array(repeating: 10 * Self.mebibyte, count: 4))
    }

    @Test("bytes freed by a very slow connection are fetched next, because they are the gap")
    func givenBack() throws {
        var plan = SegmentPlan(total: 1024 * Self.mebibyte)
        plan.divideInOrder(among: 4, minimum: Self.mebibyte)
        let first = try plan.nextSegment(now: 0)
        _ = try plan.nextSegment(now: 0)
        _ = plan.claim(first.id, atMost: 4096, now: 0)
        plan.cutLongest()
        let next = try plan.nextSegment(now: 0)
        #expect(next.start == 4096)
    }
}
