import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("The check of a recorded copy")
struct CopyCheckTests {
    private static let there = FileIdentity(inode: 7, size: 100, modified: 5_000_000_000)
    private static let date = "Fri, 01 Mar 2024 12:34:56 GMT"
    private static let digest = String(repeating: "ab", count: 32)

    private func item(_ change: (inout MirrorItem) throws -> Void = { _ in }) throws -> MirrorItem {
        var item = MirrorItem([try Source("http://host/a")], path: try RelativePath("a"))
        try change(&item)
        return item
    }

    private func record(_ change: (inout CopyRecord) -> Void = { _ in }) -> CopyRecord {
        var record = CopyRecord(
            url: "http://host/a", identity: Self.there, sha256: Self.digest, etag: "\"v1\"",
            lastModified: Self.date, checked: 3)
        change(&record)
        return record
    }

    private func check(
        _ item: MirrorItem, _ record: CopyRecord?, found: FileIdentity? = there, run: Int64 = 4
    ) -> CopyCheck {
        CopyCheck(of: item, record, found: found, run: run, boot: "now")
    }

    @Test("fetches an unknown file, or one other than recorded")
    func unknown() throws {
        #expect(try check(item(), nil) == .fetch)
        #expect(try check(item(), record(), found: nil) == .fetch)
        for change: (inout FileIdentity) -> Void in [{ $0.size += 1 }, { $0.modified += 2_000_000_001 }] {
            var found = Self.there
            change(&found)
            #expect(try check(item(), record(), found: found) == .fetch)
        }
    }

    @Test("compares a possible copy of the recorded file, unless that would not help")
    func copied() throws {
        var copy = Self.there
        copy.inode += 1
        #expect(try check(item(), record(), found: copy) == .compare)
        #expect(try check(item(), record { $0.sha256 = "" }, found: copy) == .fetch)
        #expect(try check(item { $0.size = 101 }, record(), found: copy) == .fetch)
        let other = try Checksum(.sha256, String(repeating: "cd", count: 32))
        #expect(try check(item { $0.checksums = [other] }, record(), found: copy) == .fetch)
    }

    @Test("ignores recorded validators with control characters")
    func damagedRecord() throws {
        let damaged = "\"v1\nX: y\""
        #expect(try check(item(), record { $0.etag = damaged }) == .ask(.lastModified(Self.date)))
        #expect(try check(item(), record { ($0.etag, $0.lastModified) = (damaged, "\0") }) == .fetch)
    }

    @Test("compares an unsynced file after a reboot")
    func reboot() throws {
        #expect(try check(item(), record { $0.boot = "now" }) == .ask(.etag("\"v1\"")))
        #expect(try check(item(), record { $0.boot = "before" }) == .compare)
    }

    @Test("relies on a digest from the list, whatever else agrees")
    func digest() throws {
        let same = try Checksum(.sha256, Self.digest)
        let other = try Checksum(.sha256, String(repeating: "cd", count: 32))
        let md5 = try Checksum(.md5, String(repeating: "12", count: 16))
        let sha512 = try Checksum(.sha512, String(repeating: "34", count: 64))
        #expect(try check(item { $0.checksums = [md5, same] }, record()) == .keep)
        #expect(try check(item { $0.checksums = [other] }, record()) == .fetch)
        #expect(try check(item { $0.checksums = [other] }, record { $0.checked = 4 }) == .fetch)
        #expect(try check(item { $0.checksums = [md5] }, record()) == .fetch)
        #expect(try check(item { $0.checksums = [md5] }, record { $0.digest = md5 }) == .keep)
        #expect(try check(item { $0.checksums = [same, sha512] }, record()) == .fetch)
    }

    @Test("requires the size from the listing")
    func size() throws {
        #expect(try check(item { $0.size = 101 }, record()) == .fetch)
        #expect(try check(item { $0.size = 100 }, record()) == .ask(.etag("\"v1\"")))
    }

    @Test("prefers the ETag to the date, and skips the request if a listing has the ETag")
    func validators() throws {
        #expect(try check(item(), record()) == .ask(.etag("\"v1\"")))
        #expect(try check(item(), record { $0.etag = nil }) == .ask(.lastModified(Self.date)))
        #expect(
            try check(
                item(),
                record {
                    $0.etag = nil
                    $0.lastModified = nil
                }) == .fetch)
        #expect(try check(item { $0.etag = "\"v1\"" }, record()) == .keep)
        #expect(try check(item { $0.etag = "\"v2\"" }, record { $0.checked = 4 }) == .ask(.etag("\"v1\"")))
    }

    @Test("does not leave a different date in the listing to a server that may only compare which is later")
    func older() throws {
        let known = try #require(HTTPDate.seconds(Self.date))
        let byDate = record { $0.etag = nil }
        #expect(try check(item { $0.modified = known }, byDate) == .ask(.lastModified(Self.date)))
        #expect(try check(item { $0.modified = known - 1 }, byDate) == .fetch)
        #expect(try check(item { $0.modified = known - 1 }, record()) == .ask(.etag("\"v1\"")))
    }

    @Test("skips files that this run completed before it was killed")
    func sameRun() throws {
        #expect(try check(item(), record { $0.checked = 4 }) == .keep)
    }
}
