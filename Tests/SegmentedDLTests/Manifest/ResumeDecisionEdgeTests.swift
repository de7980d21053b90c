import Testing

@testable import SegmentedDL

@Suite("The decision to resume: edge cases")
struct ResumeDecisionEdgeTests {
    /// The old response's strong ETag proves nothing if the new response has none to compare with.
    @Test("from another URL, an ETag known only to the earlier run proves nothing")
    func oneSidedETag() {
        let manifest = Manifest.fixture()
        let resource = ResourceInfo(
            length: 1000, acceptsRanges: true,
            validators: Validators(etag: nil, lastModified: manifest.lastModified), fileName: nil)
        let decision = ResumeDecision.decide(
            .manifest(manifest), PartFileState(inode: 42, size: 1000), resource: resource,
            sources: SourceDigests(answered: "another"), boot: "boot-1")
        #expect(decision == .compare(ByteRangeSet([0..<250, 500..<750])))
    }
}
