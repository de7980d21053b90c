import Testing

@testable import SegmentedDL

@Suite("What a manifest claims: edges")
struct ManifestEdgeTests {
    @Test("a system that does not know its boot trusts only durable ranges")
    func noBoot() {
        var manifest = Manifest.fixture()
        manifest.boot = ""
        #expect(manifest.trusted(boot: "") == ByteRangeSet(0..<250))
    }

    @Test("ranges outside the file are no trap")
    func outside() async {
        await #expect(processExitsWith: .success) {
            precondition(Manifest.rangeSet([[2000, 3000]], within: 1000).isEmpty)
            precondition(Manifest.rangeSet([[-20, -10]], within: 1000).isEmpty)
        }
    }
}
