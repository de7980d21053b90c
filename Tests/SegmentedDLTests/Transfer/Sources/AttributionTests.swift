import Testing

@testable import SegmentedDL

@Suite("Attribution of bytes to sources")
struct AttributionTests {
    @Test("is known after parts were freed")
    func contributions() {
        var contributions = Attribution()
        contributions.wrote(0..<100, by: 0)
        contributions.wrote(100..<150, by: 1)
        contributions.wrote(150..<300, by: 0)
        #expect(contributions.contributors == [1, 0])
        #expect(Set(contributions.within(90..<110).keys) == [0, 1])
        contributions.remove(100..<160)
        #expect(contributions.contributors == [0])
        #expect(contributions[0] == ByteRangeSet([0..<100, 160..<300]))
    }

    @Test("a segment belongs to a source until it is released")
    func segments() {
        var attribution = Attribution()
        attribution.assign(7, to: 1)
        attribution.assign(8, to: 1)
        attribution.assign(9, to: 0)
        #expect(attribution.segments(of: 1).sorted() == [7, 8])
        attribution.release(8)
        #expect(attribution.source(of: 8) == nil)
        #expect(attribution.segments(of: 1) == [7])
    }
}
