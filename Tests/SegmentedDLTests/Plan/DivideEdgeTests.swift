import Testing

@testable import SegmentedDL

@Suite("Dividing free bytes: edge cases")
struct DivideEdgeTests {
    @Test("cuts of a resumed file are on page boundaries, too")
    func unalignedStart() {
        var plan = SegmentPlan(total: 100_000_000, written: ByteRangeSet(0..<12_345))
        plan.divide(among: 4, minimum: 1024 * 1024)
        let cuts = plan.free.dropFirst().map(\.lowerBound)
        #expect(cuts.count == 3)
        #expect(cuts.allSatisfy { $0 % 4096 == 0 }, "\(cuts)")
    }

    @Test("no share is below a minimum that is not a multiple of the page size")
    func unalignedMinimum() {
        var plan = SegmentPlan(total: 300_000)
        plan.divide(among: 3, minimum: 100_000)
        #expect(plan.free.allSatisfy { $0.length >= 100_000 }, "\(plan.free)")
    }

    @Test("no length stated by a server traps")
    func longest() async {
        // A trap would end the other tests too: this one runs in its own process.
        await #expect(processExitsWith: .success) {
            var plan = SegmentPlan(total: Int64.max - 1)
            plan.divide(among: 8, minimum: 1024 * 1024)
            precondition(plan.free.reduce(0) { $0 + $1.length } == Int64.max - 1)
        }
    }
}
