import Testing

@testable import SegmentedDL

@Suite("The source of a wrong file digest")
struct SuspectSearchTests {
    @Test("each source has one turn")
    func turns() {
        var search = SuspectSearch()
        #expect(search.last == nil)
        var turns: [Source.Index] = []
        while let suspect = search.next([2, Attribution.earlierRun, 0], usable: [0, 1, 2]) {
            turns.append(suspect)
            #expect(search.last == suspect)
        }
        #expect(turns == [2, Attribution.earlierRun, 0])
    }

    @Test("a source is suspected only if another one is left to fetch its bytes from")
    func alternatives() {
        var search = SuspectSearch()
        #expect(search.next([1], usable: [1]) == nil)
        #expect(search.next([1], usable: [0, 1]) == 1)
    }
}
