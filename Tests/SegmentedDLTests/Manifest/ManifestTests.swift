import Testing

@testable import SegmentedDL

@Suite("The claims of a manifest")
struct ManifestTests {
    @Test(
        "ordered, disjoint ranges inside the file are valid",
        arguments: [
            [], [[0, 1000]], [[0, 1]], [[999, 1000]], [[0, 10], [10, 20]],
            [[0, 10], [11, 20], [500, 1000]],
        ] as [[[Int64]]])
    func sound(ranges: [[Int64]]) {
        #expect(Manifest.fixture(written: ranges, durable: []).isSound)
        #expect(Manifest.fixture(written: [], durable: ranges).isSound)
    }

    @Test(
        "all others are not",
        arguments: [
            [[0, 1001]], [[-1, 10]], [[10, 10]], [[20, 10]], [[0, 10], [5, 20]], [[10, 20], [0, 5]], [[0]],
            [[]], [[0, 1, 2]],
            [[1000, 1001]], [[Int64.min, Int64.max]], [[2000, 3000]],
        ] as [[[Int64]]])
    func unsound(ranges: [[Int64]]) {
        #expect(!Manifest.fixture(written: ranges, durable: []).isSound)
        #expect(!Manifest.fixture(written: [], durable: ranges).isSound)
    }

    @Test("a negative length is invalid, an empty file is valid")
    func totals() {
        #expect(!Manifest.fixture(total: -1, written: [], durable: []).isSound)
        #expect(Manifest.fixture(total: 0, written: [], durable: []).isSound)
        #expect(!Manifest.fixture(total: 0, written: [[0, 1]], durable: []).isSound)
    }

    @Test("written ranges are trusted on the same boot, later only durable ones")
    func trusted() {
        let manifest = Manifest.fixture()
        #expect(manifest.trusted(boot: "boot-1") == ByteRangeSet([0..<250, 500..<750]))
        #expect(manifest.trusted(boot: "boot-2") == ByteRangeSet(0..<250))
        #expect(manifest.trusted(boot: "") == ByteRangeSet(0..<250))
    }

    @Test("ranges round-trip through a list")
    func list() {
        let set = ByteRangeSet([0..<10, 20..<30])
        #expect(Manifest.list(set) == [[0, 10], [20, 30]])
        #expect(Manifest.rangeSet([[0, 10], [20, 30]], within: 30) == set)
        #expect(Manifest.rangeSet([[0, 10], [20, 30]], within: 25) == ByteRangeSet([0..<10, 20..<25]))
        #expect(Manifest.rangeSet([], within: 25).isEmpty)
    }

    @Test("the file is complete if every byte is trusted on this boot")
    func trustsAll() {
        let manifest = Manifest.fixture(total: 7, written: [[0, 3], [3, 7]], durable: [[0, 6]])
        #expect(manifest.trustsAll(boot: "boot-1"))
        #expect(!manifest.trustsAll(boot: "boot-2") && !manifest.trustsAll(boot: ""))
        #expect(Manifest.fixture(total: 7, written: [], durable: [[0, 7]]).trustsAll(boot: "boot-2"))
    }
}
