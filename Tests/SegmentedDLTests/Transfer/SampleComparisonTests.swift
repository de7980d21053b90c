import Testing

@testable import SegmentedDL

@Suite("Samples of bytes on disk")
struct SampleComparisonTests {
    @Test("are within the written ranges, and include the first and last bytes")
    func spread() {
        let written = ByteRangeSet([0..<1_000_000, 5_000_000..<7_000_000, 9_000_000..<9_500_000])
        let samples = SampleComparison.samples(of: written)
        #expect(samples.count == 6)
        #expect(samples.first?.lowerBound == 0)
        #expect(samples.last?.upperBound == 9_500_000)
        for sample in samples {
            #expect(!sample.isEmpty)
            #expect(
                written.ranges.contains {
                    $0.lowerBound <= sample.lowerBound && sample.upperBound <= $0.upperBound
                })
        }
        #expect(
            Set(samples.map { sample in written.ranges.firstIndex { $0.contains(sample.lowerBound) } }).count
                == 3)
    }

    @Test("of few bytes are all of them", arguments: [1, 5, 65_536] as [Int64])
    func little(length: Int64) {
        let samples = SampleComparison.samples(of: ByteRangeSet(10..<(10 + length)))
        var covered = ByteRangeSet()
        for sample in samples { covered.insert(contentsOf: sample) }
        #expect(covered == ByteRangeSet(10..<(10 + length)))
    }
}
