import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("An existing file")
struct ExistingCopyTests {
    private static let date = "Wed, 01 Jan 2025 00:00:00 GMT"
    private static let dateSeconds: Int64 = 1_735_689_600

    private func copy(
        size: Int64 = 7, seconds: Int64 = dateSeconds, nanoseconds: Int64 = 0,
        origin: OriginMark.Origin? = nil
    ) -> ExistingCopy {
        ExistingCopy(path: "f", size: size, modified: seconds * 1_000_000_000 + nanoseconds, origin: origin)
    }

    private func origin(
        _ url: String = "url", etag: String? = nil, date: String? = nil
    ) -> OriginMark.Origin {
        OriginMark.Origin(urlDigest: url, etag: etag, lastModified: date)
    }

    private func remote(length: Int64? = 7, etag: String? = nil, date: String? = date) -> ResourceInfo {
        ResourceInfo(
            length: length, acceptsRanges: true, validators: Validators(etag: etag, lastModified: date))
    }

    private func isSame(
        _ copy: ExistingCopy, _ remote: ResourceInfo, policy: ExistingFilePolicy = .fail
    ) -> Bool {
        copy.relation(to: remote, of: ["url"], policy: policy) == .same
    }

    @Test("without a mark is the same if it has the server's length and date")
    func date() {
        #expect(isSame(copy(), remote()))
        #expect(!isSame(copy(seconds: Self.dateSeconds + 1), remote()))
        // A copy of the server's file made by `cp -p` or rsync.
        #expect(isSame(copy(nanoseconds: 999_999_999), remote()))
        #expect(!isSame(copy(nanoseconds: -1), remote()))
        var coarse = copy(seconds: Self.dateSeconds - 2)
        #expect(!isSame(coarse, remote()))
        coarse.hasCoarseDate = true
        #expect(isSame(coarse, remote()))
        coarse.modified -= 1
        #expect(!isSame(coarse, remote()))
        #expect(!isSame(copy(), remote(date: nil)))
        #expect(!isSame(copy(), remote(length: nil)))
    }

    @Test("is recognized behind a login page, with and without a mark, but not if it is a page itself")
    func login() {
        let page = ResourceInfo(
            length: 53, acceptsRanges: false, validators: Validators(etag: nil, lastModified: nil),
            contentType: "text/html; charset=utf-8")
        let message = ResourceInfo(
            length: 53, acceptsRanges: false, validators: Validators(etag: nil, lastModified: nil),
            contentType: "text/plain")
        let marked = copy(size: 5_000_000, origin: origin(etag: "\"a\"", date: Self.date))
        let plain = copy(size: 5_000_000)
        func isWords(_ copy: ExistingCopy, _ resource: ResourceInfo, _ name: String = "a.bin") -> Bool {
            copy.isAnsweredByWords(resource, names: [name, "f"], of: ["url"])
        }
        #expect(isWords(marked, page) && isWords(marked, message))
        #expect(isWords(plain, page) && !isWords(plain, message))
        #expect(!isWords(plain, page, "a.html") && !isWords(marked, page, "a.php"))
        #expect(!isWords(plain, page, "latest"))
        #expect(!isWords(marked, remote(etag: "\"b\"")))
    }

    @Test("of another length is another file")
    func length() {
        let marked = copy(size: 8, origin: origin(etag: "\"a\"", date: Self.date))
        for copy in [copy(size: 8), marked] {
            guard case .contradicted = copy.relation(to: remote(etag: "\"a\""), of: ["url"]) else {
                Issue.record("\(copy)")
                continue
            }
        }
    }

    @Test(
        "with a new signature is the same if length, date and strong ETag agree",
        arguments: [
            ("\"a\"", "now", "\"a\"", "now", true), ("\"a\"", "now", "\"b\"", "now", false),
            ("W/\"a\"", "now", "W/\"a\"", "now", false), ("\"a\"", nil, "\"a\"", nil, false),
            (nil, "now", nil, "now", false), ("\"a\"", "now", "\"a\"", nil, false),
            ("\"a\"", "now", "\"a\"", "Thu, 02 Jan 2025 00:00:00 GMT", false),
        ] as [(String?, String?, String?, String?, Bool)])
    func signedAnew(etag: String?, date: String?, newTag: String?, newDate: String?, isSame: Bool) {
        var origin = origin("old", etag: etag, date: date)
        origin.unsignedDigest = "unsigned"
        let remote = remote(etag: newTag, date: newDate)
        func relation(_ digests: [String], length: Int64 = 7) -> ExistingCopy.Relation {
            copy(size: length, origin: origin).relation(to: remote, of: ["new"], at: digests)
        }
        #expect((relation(["unsigned"]) == .same) == isSame)
        #expect(relation(["other"]) != .same && relation([]) != .same)
        #expect(relation(["unsigned"], length: 8) != .same)
    }

    @Test("that was completed is the same while the server's validators are unchanged")
    func mark() {
        #expect(isSame(copy(seconds: 5, origin: origin(etag: "\"a\"")), remote(etag: "\"a\"", date: nil)))
        #expect(isSame(copy(seconds: 5, origin: origin(etag: "W/\"a\"")), remote(etag: "W/\"a\"", date: nil)))
        #expect(isSame(copy(seconds: 5, origin: origin(date: Self.date)), remote()))
        #expect(
            isSame(
                copy(seconds: 5, origin: origin(etag: "\"a\"")), remote(length: nil, etag: "\"a\"", date: nil)
            ))
        #expect(!isSame(copy(origin: origin(etag: "\"b\"")), remote(etag: "\"a\"")))
        #expect(!isSame(copy(origin: origin(date: "Thu, 02 Jan 2025 00:00:00 GMT")), remote()))
        #expect(!isSame(copy(seconds: 5, origin: origin()), remote()))
    }

    @Test("with another strong tag is another file, whatever its date; weak tags may differ")
    func otherTag() {
        let strong = copy(origin: origin(etag: "\"a\"", date: Self.date))
        let weak = copy(origin: origin(etag: "W/\"a\"", date: Self.date))
        for policy in ExistingFilePolicy.allCases {
            #expect(!isSame(strong, remote(etag: "\"b\""), policy: policy))
            #expect(isSame(weak, remote(etag: "W/\"b\""), policy: policy))
            #expect(isSame(strong, remote(), policy: policy))
        }
    }

    @Test("without validators from the server is unknown before its bytes are compared")
    func noValidators() {
        let copy = copy(seconds: 5, origin: origin())
        for length in [7, nil] as [Int64?] {
            guard case .untold = copy.relation(to: remote(length: length, date: nil), of: ["url"]) else {
                Issue.record("\(length ?? -1)")
                continue
            }
        }
    }

    @Test("unfinished by aria2 is not complete, whatever its date; a digest takes precedence")
    func unfinished() {
        var copy = copy()
        copy.isUnfinished = true
        for policy in ExistingFilePolicy.allCases { #expect(!isSame(copy, remote(), policy: policy)) }
        copy.hasDigests = true
        #expect(isSame(copy, remote()))
    }

    @Test("of another URL is another file, whatever its date")
    func otherURL() {
        #expect(!isSame(copy(origin: origin("other", date: Self.date)), remote()))
    }

    @Test("that is newer counts for an update")
    func update() {
        let younger = copy(seconds: Self.dateSeconds + 1)
        #expect(younger.relation(to: remote(), of: ["url"], policy: .update) == .younger)
        #expect(copy().relation(to: remote(), of: ["url"], policy: .update) == .same)
        #expect(!isSame(copy(seconds: Self.dateSeconds - 1), remote(), policy: .update))
        #expect(!isSame(copy(size: 8, seconds: Self.dateSeconds + 1), remote(), policy: .update))
    }

    @Test("with or without the caller's digest needs no other evidence")
    func digests() {
        var copy = copy(seconds: 5)
        copy.hasDigests = true
        #expect(isSame(copy, remote(length: 9, date: nil)))
        copy = self.copy(origin: origin(etag: "\"a\""))
        copy.hasDigests = false
        #expect(!isSame(copy, remote(etag: "\"a\"")))
        #expect(copy.condition(of: ["url"]) == nil)
    }

    @Test("of another length than the caller expects is another file, whatever its digest and origin")
    func expectedLength() {
        var copy = copy(origin: origin(etag: "\"a\""))
        copy.expectedLength = 7
        #expect(isSame(copy, remote(etag: "\"a\"")))
        #expect(copy.condition(of: ["url"]) != nil)
        copy.expectedLength = 8
        #expect(!isSame(copy, remote(etag: "\"a\"")))
        #expect(copy.condition(of: ["url"]) == nil)
        copy.hasDigests = true
        #expect(!isSame(copy, remote(etag: "\"a\"")))
    }

    @Test("is revalidated by its tag, else by its date, and only at its own URL")
    func condition() {
        #expect(
            copy(origin: origin(etag: "\"a\"", date: Self.date)).condition(of: ["url"])
                == KnownCopy(condition: .etag("\"a\""), length: 7))
        #expect(
            copy(origin: origin(date: Self.date)).condition(of: ["url"])
                == KnownCopy(condition: .lastModified(Self.date), length: 7))
        #expect(copy(origin: origin("other", etag: "\"a\"")).condition(of: ["url"]) == nil)
        #expect(copy().condition(of: ["url"]) == nil)
    }

    @Test("with control characters in its record is compared without them")
    func damagedRecord() {
        #expect(copy(origin: origin(etag: "\"a\r\"")).condition(of: ["url"]) == nil)
        #expect(
            copy(origin: origin(etag: "\"a\r\"", date: Self.date)).condition(of: ["url"])
                == KnownCopy(condition: .lastModified(Self.date), length: 7))
    }
}
