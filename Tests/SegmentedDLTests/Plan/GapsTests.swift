import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The gaps in a set of byte ranges")
struct GapsTests {
    @Test("are the result of subtracting the set", arguments: 0..<200 as Range<UInt64>)
    func subtracting(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var set = ByteRangeSet()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let start = Int64.random(in: 0..<100, using: &random)
            set.insert(contentsOf: start..<start + Int64.random(in: 1...12, using: &random))
        }
        let start = Int64.random(in: 0..<100, using: &random)
        let range = start..<start + Int64.random(in: 0...40, using: &random)
        #expect(set.gaps(in: range) == ByteRangeSet(range).subtracting(set))
    }
}
