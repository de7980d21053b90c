import Testing

@testable import SegmentedDL

@Suite("The claims of a manifest: edge cases")
struct ManifestEdgeTests {
    @Test("a system without a boot identifier trusts only durable ranges")
    func noBoot() {
        var manifest = Manifest.fixture()
        manifest.boot = ""
        #expect(manifest.trusted(boot: "") == ByteRangeSet(0..<250))
    }

    @Test("ranges outside the file do not trap")
    func outside() async {
        await #expect(processExitsWith: .success) {
            precondition(Manifest.rangeSet([[2000, 3000]], within: 1000).isEmpty)
            precondition(Manifest.rangeSet([[-20, -10]], within: 1000).isEmpty)
        }
    }
}
