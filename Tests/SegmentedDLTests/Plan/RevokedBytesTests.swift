import Testing

@testable import SegmentedDL

@Suite("Bytes on disk that are not the file's")
struct RevokedBytesTests {
    @Test("are free again, or stay with their segment")
    func unwrite() throws {
        var plan = SegmentPlan(total: 1000)
        let assigned = plan.assign(at: 0, now: 0)
        let segment = try #require(assigned)
        _ = plan.claim(segment.id, atMost: 600, now: 0)
        plan.wrote(0..<600)
        plan.unwrite(100..<200)
        #expect(plan.countsEachByteOnce)
        plan.release(segment.id, now: 0)
        #expect(plan.countsEachByteOnce)
        plan.wrote(600..<1000)
        let next = plan.next(now: 0)
        let rest = try #require(next)
        #expect(rest.start == 100)
        plan.release(rest.id, now: 0)
        plan.unwrite(0..<50)
        plan.unwrite(0..<300)
        #expect(plan.written == ByteRangeSet(300..<1000))
    }
}
