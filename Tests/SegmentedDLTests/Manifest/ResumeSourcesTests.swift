import Testing

@testable import SegmentedDL

@Suite("Resuming with several sources")
struct ResumeSourcesTests {
    private let written = ByteRangeSet([0..<250, 500..<750])
    private let mine = Manifest.fixture().urlDigest

    /// Decides for a source with the validators and the digest recorded by an earlier run.
    private func decide(
        _ manifest: Manifest = .fixture(), answered: String, all: [String], isTouched: Bool = false,
        isCompared: Bool = false, isChanged: Bool = false, digest: Checksum? = nil, part: ByteRange? = nil
    ) -> ResumeDecision {
        let validators = Validators(
            etag: isChanged ? "\"other\"" : manifest.etag,
            lastModified: isChanged ? "Mon, 07 Nov 1994 08:49:37 GMT" : manifest.lastModified)
        let resource = ResourceInfo(
            length: 1000, acceptsRanges: true, validators: validators,
            digest: digest.map { ServerDigest(field: "Digest", checksum: $0, part: part) })
        return ResumeDecision.decide(
            .manifest(manifest),
            PartFileState(inode: 42, size: 1000, isTouched: isTouched, isCompared: isCompared),
            resource: resource, sources: SourceDigests(answered: answered, all: all), boot: "boot-1")
    }

    @Test("a mirror that responds first must prove bytes, although its validators are the same")
    func mirrorAnswers() {
        var manifest = Manifest.fixture()
        manifest.mirrors = ["mirror"]
        #expect(decide(manifest, answered: mine, all: [mine, "mirror"]) == .resume(written))
        #expect(decide(manifest, answered: "mirror", all: [mine, "mirror"]) == .compare(written))
        #expect(
            decide(manifest, answered: "mirror", all: [mine, "mirror"], isChanged: true) == .compare(written))
    }

    @Test("the validators are those of the responding source, even if it is not the first")
    func validatorsOfMirror() {
        var manifest = Manifest.fixture()
        manifest.mirrors = ["mirror"]
        manifest.validatorsOf = "mirror"
        #expect(decide(manifest, answered: "mirror", all: [mine, "mirror"]) == .resume(written))
        #expect(decide(manifest, answered: mine, all: [mine, "mirror"]) == .compare(written))
    }

    @Test("bytes of a source that is now a mirror are compared, whatever the new one's validators are")
    func becomesMirror() {
        let decision = decide(answered: "new", all: ["new", mine], isChanged: true)
        #expect(decision == .compare(written))
        let stranger = decide(answered: "new", all: ["new"], isChanged: true)
        #expect(stranger == .otherURL("its ETag or Last-Modified differs"))
    }

    @Test("a file of another length is fetched from the start, if the bytes come from one of the sources")
    func otherLength() {
        var manifest = Manifest.fixture()
        manifest.mirrors = ["mirror"]
        manifest.total = 999
        manifest.written = [[0, 250]]
        for (answered, all) in [(mine, [mine]), ("mirror", ["mirror"]), ("new", ["new", mine])] {
            let decision = decide(manifest, answered: answered, all: all)
            #expect(decision == .fresh(reason: "the remote file's length changed"))
        }
        #expect(decide(manifest, answered: "new", all: ["new"]) == .otherURL("its length differs"))
    }

    @Test("a part file written by another program must be compared")
    func touched() {
        #expect(decide(answered: mine, all: [mine], isTouched: true) == .compare(written))
    }

    @Test("it is not if all of its bytes are compared with their fingerprints anyway")
    func fingerprints() {
        var manifest = Manifest.fixture()
        func decision(isCompared: Bool) -> ResumeDecision {
            decide(manifest, answered: mine, all: [mine], isTouched: true, isCompared: isCompared)
        }
        #expect(decision(isCompared: true) == .compare(written))
        manifest.extents = ExtentList(written.ranges.map { Extent(range: $0, fingerprint: 1) })
        #expect(decision(isCompared: true) == .resume(written))
        #expect(decision(isCompared: false) == .compare(written))
    }

    @Test("the server's digest contradicts the bytes, and only one of the same algorithm can")
    func digest() throws {
        let one = try Checksum(.sha256, String(repeating: "ab", count: 32))
        let other = try Checksum(.sha256, String(repeating: "cd", count: 32))
        let md5 = try Checksum(.md5, String(repeating: "ab", count: 16))
        var manifest = Manifest.fixture()
        manifest.serverDigest = ServerDigest(field: "Digest", checksum: one)
        #expect(decide(manifest, answered: mine, all: [mine], digest: one) == .resume(written))
        #expect(decide(manifest, answered: mine, all: [mine], digest: md5) == .resume(written))
        #expect(
            decide(manifest, answered: mine, all: [mine], digest: other)
                == .fresh(reason: "the remote file's digest changed"))
        // Some servers compute the digest of each response.
        #expect(
            decide(manifest, answered: mine, all: [mine], digest: one, part: 250..<1000) == .resume(written))
        #expect(
            decide(manifest, answered: mine, all: [mine], digest: other, part: 250..<1000)
                == .compare(written))
    }
}
