import SegmentedDL
import Testing

@testable import segdl

@Suite struct SegmentMapTests {
    private func map(
        _ total: Int64, _ completed: [ByteRange], _ active: [DownloadProgress.ActiveSegment] = [],
        width: Int = 10,
        unicode: Bool = true
    ) -> String {
        SegmentMap.text(total: total, completed: completed, active: active, width: width, unicode: unicode)
    }

    @Test func cellsAreCompletePartialOrMissing() {
        #expect(map(1000, []) == "··········")
        #expect(map(1000, [0..<1000]) == "██████████")
        #expect(map(1000, [0..<301, 450..<500, 600..<699]) == "███░▒·▓···")
        #expect(map(1000, [0..<301, 450..<500, 600..<699], unicode: false) == "###++.+...")
    }

    @Test func writersStandWhereTheyWrite() {
        let active = [segment(0, 250, 500), segment(500, 500, 1000)]
        #expect(map(1000, [0..<250], active) == "██►··►····")
        #expect(map(1000, [0..<250], active, unicode: false) == "##>..>....")
    }

    @Test func aSegmentAtItsEndStandsOnItsLastByte() {
        #expect(map(1000, [0..<900], [segment(500, 1000, 1000)]) == "█████████►")
        #expect(map(1000, [0..<500], [segment(0, 500, 500)]) == "████►·····")
    }

    @Test func oneMissingByteShows() {
        #expect(map(1000, [0..<999]) == "█████████▓")
        #expect(map(1000, [999..<1000]) == "·········░")
    }

    @Test func overlappingAndUnorderedRangesCountOnce() {
        #expect(map(1000, [50..<100, 0..<60, 20..<60]) == "█·········")
        #expect(map(1000, [20..<60, 20..<60, 20..<60]) == "▒·········")
    }

    @Test func rangesBeyondTheFileAreCut() {
        #expect(map(100, [90..<1000]) == "·········█")
        #expect(map(100, [200..<1000], [segment(200, 300, 400)]) == "·········►")
    }

    @Test func anEmptyFileIsComplete() {
        #expect(map(0, []) == "██████████")
    }

    @Test func fewerBytesThanCells() {
        #expect(map(2, [0..<1], width: 4) == "██··")
        #expect(map(1, [0..<1], width: 3) == "███")
    }

    @Test func noCells() {
        #expect(map(1000, [0..<10], width: 0) == "")
        #expect(map(1000, [0..<10], width: -1) == "")
    }

    @Test func theLongestFileDoesNotOverflow() {
        let total = Int64.max
        #expect(map(total, [0..<total]) == "██████████")
        #expect(map(total, [], [segment(0, total - 1, total)]) == "·········►")
        #expect(map(total, [0..<total / 2], width: 4) == "██··")
    }

    @Test func alwaysAsWideAsAsked() {
        for width in 1...200 {
            for total: Int64 in [1, 2, 7, 199, 1_000_003] {
                let text = map(total, [0..<total / 2], [segment(total / 2, total / 2, total)], width: width)
                #expect(TextWidth.columns(text) == width)
            }
        }
    }
}
