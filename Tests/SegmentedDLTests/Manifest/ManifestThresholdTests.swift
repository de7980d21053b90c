import Testing

@testable import SegmentedDL

@Suite("Whether a small file is worth a manifest")
struct ManifestThresholdTests {
    @Test("a file that is nearly complete is not, nor is one without bytes on disk")
    func soon() {
        #expect(!ManifestThreshold.isWorthIt(written: 0, of: 1_000_000, after: 60))
        #expect(!ManifestThreshold.isWorthIt(written: 500_000, of: 1_000_000, after: 0.1))
        #expect(!ManifestThreshold.isWorthIt(written: 1_000_000, of: 1_000_000, after: 60))
    }

    @Test("a slow one is, and so is one that has become slow")
    func slow() {
        #expect(ManifestThreshold.isWorthIt(written: 150_000, of: 700_000, after: 0.1))
        #expect(ManifestThreshold.isWorthIt(written: 900_000, of: 1_000_000, after: 2))
    }
}
