import Testing

@testable import SegmentedDL

@Suite("Dividing free bytes")
struct DivideTests {
    private static let mebibyte: Int64 = 1024 * 1024

    private func shares(_ total: Int64, _ connections: Int, minimum: Int64) -> [ByteRange] {
        var plan = SegmentPlan(total: total)
        plan.divide(among: connections, minimum: minimum)
        return plan.free
    }

    @Test(
        "every connection gets a share of nearly the same length",
        arguments: [2, 3, 4, 7, 8, 16], [100_000_000, 100 * 1024 * 1024, 99_999_989] as [Int64])
    func nearEqual(connections: Int, total: Int64) throws {
        let lengths = shares(total, connections, minimum: Self.mebibyte).map(\.length)
        #expect(lengths.count == connections)
        let least = try #require(lengths.min())
        let most = try #require(lengths.max())
        // A page for the alignment at each end, and the remainder of the division.
        #expect(most - least <= 4096 + Int64(connections) + 4096)
    }

    @Test(
        "nothing is lost or duplicated",
        arguments: [0, 1, 2, 5, 4095, 4096, 4097, 65_537, 1_000_003, 1 << 40] as [Int64])
    func partition(total: Int64) {
        for connections in [1, 2, 3, 5, 8, 100] {
            for minimum: Int64 in [1, 1000, 65_536, Self.mebibyte] {
                var plan = SegmentPlan(total: total)
                plan.divide(among: connections, minimum: minimum)
                #expect(plan.countsEachByteOnce, "\(total) bytes, \(connections) connections, \(minimum)")
                #expect(plan.free.allSatisfy { !$0.isEmpty })
                #expect(plan.free.count <= connections)
            }
        }
    }

    @Test("no share is below a minimum of whole pages")
    func minimumOfPages() {
        for total in stride(from: Self.mebibyte, through: 20 * Self.mebibyte, by: 777_777) {
            let lengths = shares(total, 8, minimum: Self.mebibyte).map(\.length)
            #expect(lengths.allSatisfy { $0 >= Self.mebibyte }, "\(total) bytes in \(lengths)")
        }
    }

    @Test("a file below the minimum stays whole")
    func belowMinimum() {
        #expect(shares(1000, 8, minimum: Self.mebibyte) == [0..<1000])
        #expect(shares(2 * Self.mebibyte - 1, 8, minimum: Self.mebibyte) == [0..<(2 * Self.mebibyte - 1)])
    }

    @Test("fewer bytes than connections are one byte each")
    func tiny() {
        #expect(shares(3, 8, minimum: 1) == [0..<1, 1..<2, 2..<3])
        #expect(shares(1, 8, minimum: 1) == [0..<1])
        #expect(shares(0, 8, minimum: 1).isEmpty)
    }

    @Test("one connection gets everything")
    func one() {
        #expect(shares(10_000_000, 1, minimum: 1) == [0..<10_000_000])
    }

    @Test("a stream of unknown length is not divided")
    func unknown() {
        var plan = SegmentPlan(total: nil)
        plan.divide(among: 8, minimum: 1)
        #expect(plan.free == [0..<Int64.max])
    }

    @Test("cuts are on page boundaries", arguments: [3, 7, 8] as [Int])
    func pages(connections: Int) {
        let cuts = shares(1_000_000_007, connections, minimum: Self.mebibyte).dropFirst().map(\.lowerBound)
        #expect(cuts.count == connections - 1)
        #expect(cuts.allSatisfy { $0 % 4096 == 0 }, "\(cuts)")
    }

    @Test("bytes on disk are not divided again")
    func resumed() {
        let written = ByteRangeSet([4 * Self.mebibyte..<8 * Self.mebibyte])
        var plan = SegmentPlan(total: 20 * Self.mebibyte, written: written)
        plan.divide(among: 4, minimum: Self.mebibyte)
        #expect(plan.countsEachByteOnce)
        #expect(plan.free.first == 0..<4 * Self.mebibyte)
        #expect(plan.free.count == 4)
    }

    @Test("files of exabytes are divided like small ones")
    func large() {
        let total: Int64 = 1 << 62
        let cuts = shares(total, 8, minimum: Self.mebibyte)
        #expect(cuts.count == 8)
        #expect(cuts.allSatisfy { $0.length == total / 8 })
    }
}
