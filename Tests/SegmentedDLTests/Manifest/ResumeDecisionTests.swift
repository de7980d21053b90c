import Testing

@testable import SegmentedDL

@Suite("The decision to resume")
struct ResumeDecisionTests {
    /// Decides for the server's response; the file on disk is `Manifest.fixture()`'s unless a test changes
    /// it.
    private func decide(
        _ manifest: Manifest = .fixture(), length: Int64? = 1000, etag: String? = "\"abc\"",
        date: String? = "Sun, 06 Nov 1994 08:49:37 GMT", sameURL: Bool = true, inode: UInt64 = 42,
        size: Int64 = 1000,
        boot: String = "boot-1", type: String? = nil
    ) -> ResumeDecision {
        ResumeDecision.decide(
            .manifest(manifest), PartFileState(inode: inode, size: size),
            resource: ResourceInfo(
                length: length, acceptsRanges: true, validators: Validators(etag: etag, lastModified: date),
                fileName: nil, contentType: type),
            sources: SourceDigests(answered: sameURL ? manifest.urlDigest : "another"), boot: boot)
    }

    private func isFresh(_ decision: ResumeDecision) -> Bool {
        if case .fresh = decision { true } else { false }
    }

    private let written = ByteRangeSet([0..<250, 500..<750])
    private let durable = ByteRangeSet(0..<250)

    @Test("without a manifest it silently starts at the first byte")
    func absent() {
        let resource = ResourceInfo(
            length: 1000, acceptsRanges: true, validators: Validators(etag: nil, lastModified: nil),
            fileName: nil)
        let decision = ResumeDecision.decide(
            .absent, PartFileState(inode: 42, size: 1000), resource: resource,
            sources: SourceDigests(answered: ""), boot: "boot-1")
        #expect(decision == .fresh(reason: nil))
    }

    @Test(
        "a damaged manifest is ignored with a reason",
        arguments: [
            ManifestCodec.Damage.foreign, .version(2), .checksum, .content,
        ])
    func damaged(damage: ManifestCodec.Damage) {
        let resource = ResourceInfo(
            length: 1000, acceptsRanges: true, validators: Validators(etag: nil, lastModified: nil),
            fileName: nil)
        let decision = ResumeDecision.decide(
            .damaged(damage), PartFileState(inode: 42, size: 1000), resource: resource,
            sources: SourceDigests(answered: ""), boot: "boot-1")
        guard case .fresh(let reason?) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(reason.contains("manifest"))
    }

    @Test("a web page is distinguished from a new version of the file")
    func page() {
        #expect(decide(length: 80, type: "text/html") == .page(reason: "the remote file's length changed"))
        #expect(decide(etag: "\"p\"", type: "text/html; charset=utf-8") != .resume(written))
        #expect(decide(type: "text/html") == .resume(written))
        #expect(isFresh(decide(length: 80, type: "text/plain")))
    }

    @Test("a short message is distinguished from a new version of the file")
    func message() {
        let changed = ResumeDecision.page(reason: "the remote file's length changed")
        #expect(decide(length: 45, type: "application/json; charset=utf-8") == changed)
        #expect(decide(length: 45, type: "text/xml") == changed)
        // As much as is on disk, or more.
        #expect(isFresh(decide(length: 500, type: "application/json")))
        #expect(isFresh(decide(length: nil, type: "application/json")))
        #expect(isFresh(decide(length: 45, type: "application/geo+json")))
        #expect(decide(type: "application/json") == .resume(written))
    }

    @Test("a short response without the file's validators is a message, whatever its type")
    func lacking() {
        let changed = ResumeDecision.page(reason: "the remote file's length changed")
        for type in ["text/plain", "application/octet-stream", nil] {
            #expect(decide(length: 17, etag: nil, date: nil, type: type) == changed)
            #expect(decide(length: 0, etag: nil, type: type) == changed)
            #expect(decide(length: 17, date: nil, type: type) == changed)
            let unknown = decide(length: nil, etag: nil, date: nil, type: type)
            #expect(type == "text/plain" ? unknown == changed : isFresh(unknown))
            #expect(isFresh(decide(length: 17, etag: "\"new\"", type: type)))
            #expect(isFresh(decide(length: 500, etag: nil, date: nil, type: type)))
        }
    }

    @Test("the same file resumes")
    func same() {
        #expect(decide() == .resume(written))
        #expect(decide(boot: "boot-2") == .resume(durable))
        #expect(decide(etag: nil) == .compare(written))
    }

    @Test("a replaced part file does not")
    func replaced() {
        #expect(isFresh(decide(inode: 43)))
    }

    @Test("another length is another file", arguments: [nil, 0, 999, 1001] as [Int64?])
    func length(length: Int64?) {
        #expect(isFresh(decide(length: length)))
    }

    @Test(
        "bytes missing from a shorter part file are not trusted",
        arguments: [
            (1000, [0..<250, 500..<750]), (2000, [0..<250, 500..<750]), (700, [0..<250, 500..<700]),
            (500, [0..<250]),
            (100, [0..<100]),
        ] as [(Int64, [ByteRange])])
    func shorter(size: Int64, expected: [ByteRange]) {
        #expect(decide(size: size) == .resume(ByteRangeSet(expected)))
    }

    @Test("without trusted bytes it silently starts at the first byte")
    func nothing() {
        #expect(decide(size: 0) == .fresh(reason: nil))
        #expect(decide(.fixture(written: [], durable: [])) == .fresh(reason: nil))
        #expect(decide(.fixture(durable: []), boot: "boot-2") == .fresh(reason: nil))
    }

    @Test("other validators are another file")
    func changed() {
        #expect(isFresh(decide(date: "Mon, 07 Nov 1994 08:49:37 GMT")))
        #expect(isFresh(decide(etag: "\"def\"", date: nil)))
    }

    @Test("the bytes of another URL are not silently dropped if its file is another one")
    func otherFile() {
        let other = decide(etag: "\"def\"", date: "Mon, 07 Nov 1994 08:49:37 GMT", sameURL: false)
        #expect(other == .otherURL("its ETag or Last-Modified differs"))
        #expect(decide(length: 999, sameURL: false) == .otherURL("its length differs"))
        #expect(decide(length: nil, sameURL: false) == .otherURL("its length differs"))
        #expect(
            decide(etag: nil, date: nil, sameURL: false) == .otherURL("it is not known to be the same"))
        #expect(decide(length: 999) == .fresh(reason: "the remote file's length changed"))
        // Nothing can be lost.
        #expect(decide(length: 999, sameURL: false, size: 0) == .fresh(reason: nil))
        #expect(isFresh(decide(length: 999, sameURL: false, inode: 43)))
    }

    @Test("if only the ETag differs, bytes decide")
    func etagOnly() {
        #expect(decide(etag: "\"def\"") == .compare(written))
        #expect(decide(etag: "\"def\"", sameURL: false) == .compare(written))
    }

    @Test("if each response has the date of its own time, bytes decide")
    func ofAnswer() {
        var manifest = Manifest.fixture()
        manifest.etag = nil
        var validators = Validators(etag: nil, lastModified: "Sun, 06 Nov 1994 08:50:00 GMT")
        func decided() -> ResumeDecision {
            ResumeDecision.decide(
                .manifest(manifest), PartFileState(inode: 42, size: 1000),
                resource: ResourceInfo(length: 1000, acceptsRanges: true, validators: validators),
                sources: SourceDigests(answered: manifest.urlDigest), boot: "boot-1")
        }
        #expect(isFresh(decided()))
        validators.isOfAnswer = true
        #expect(decided() == .compare(written))
    }

    @Test("if nothing is proved, bytes decide")
    func unknown() {
        #expect(decide(etag: nil, date: nil) == .compare(written))
        var weak = Manifest.fixture()
        weak.etag = "W/\"abc\""
        weak.lastModified = nil
        #expect(decide(weak, etag: "W/\"abc\"", date: nil) == .compare(written))
    }

    @Test("from another URL, bytes decide, whatever validators agree")
    func anotherURL() {
        #expect(decide(sameURL: false) == .compare(written))
        var dateOnly = Manifest.fixture()
        dateOnly.etag = nil
        #expect(decide(dateOnly, etag: nil, sameURL: false) == .compare(written))
        var weak = Manifest.fixture()
        weak.etag = "W/\"abc\""
        #expect(decide(weak, etag: "W/\"abc\"", sameURL: false) == .compare(written))
    }
}
