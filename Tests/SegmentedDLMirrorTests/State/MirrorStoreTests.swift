import SegmentedDLDatabase
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("A mirror's database")
struct MirrorStoreTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() throws -> MirrorStore { try MirrorStore(path: directory.filePath("state")) }

    private func item(_ path: String) throws -> MirrorItem {
        MirrorItem([try Source("http://host/" + path)], path: try RelativePath(path))
    }

    private func batch(_ paths: String...) throws -> ListingBatch {
        ListingBatch(items: try paths.map { try item($0) })
    }

    /// A batch after which a listing can be resumed.
    private func begun(_ paths: String...) throws -> ListingBatch {
        var batch = ListingBatch(items: try paths.map { try item($0) })
        batch.notes.root = "http://host/"
        return batch
    }

    private let record = CopyRecord(
        url: "http://host/a", identity: FileIdentity(inode: .max, size: 1, modified: -1),
        sha256: String(repeating: "0", count: 64), etag: "e", lastModified: nil, checked: 1)

    @Test("the first of several paths that differ in case is found, also with letters outside of ASCII")
    func spellings() throws {
        let store = try open()
        let run = try store.begin(nil, startsOver: false, now: 0)
        _ = try store.add(
            [batch("\u{c4}pfel", "Makefile", "\u{e4}pfel", "makefile", "\u{6f22}")], of: run, turn: 1)
        #expect(try store.firstSpelling(of: "\u{e4}pfel", .max, in: run) == "\u{c4}pfel")
        #expect(try store.firstSpelling(of: "\u{c4}pfel", 1, in: run) == nil)
        #expect(try store.firstSpelling(of: "makefile", .max, in: run) == "Makefile")
        #expect(try store.firstSpelling(of: "\u{d6}l", .max, in: run) == nil)
        _ = try store.add([batch("d/\u{d6}l", "d/plain", "d/\u{f6}L")], of: run, turn: 10)
        #expect(try store.firstSpelling(of: "d/\u{f6}L", .max, in: run) == "d/\u{d6}l")
        for merges in [true, false] {
            #expect(try store.lists("\u{c4}PFEL", in: run, mergesLetters: merges) == merges)
            #expect(try store.lists("MAKEFILE", in: run, mergesLetters: merges) == merges)
        }
        #expect(try !store.lists("birne", in: run, mergesLetters: true))
        let next = try store.begin(nil, startsOver: false, now: 0)
        #expect(try store.firstSpelling(of: "\u{e4}pfel", .max, in: next) == nil)
        #expect(try !store.lists("\u{e4}pfel", in: next, mergesLetters: true))
    }

    @Test("an unfinished run of the same source is resumed for a day")
    func resumes() throws {
        let store = try open()
        let first = try store.begin("s", startsOver: false, now: 1000)
        #expect(first == .init(id: 1, pass: 1, isResumed: false, isListed: false))
        // Nothing is known about its listings.
        #expect(
            try store.begin("s", startsOver: false, now: 2000)
                == .init(id: 1, pass: 2, isResumed: false, isListed: false))
        _ = try store.add([begun()], of: first, turn: 1)
        #expect(
            try store.begin("s", startsOver: false, now: 2000)
                == .init(id: 1, pass: 3, isResumed: true, isListed: false))
        #expect(try store.begin("other", startsOver: false, now: 2000).id == 2)
        #expect(try store.begin("other", startsOver: true, now: 2000).id == 3)
        #expect(try store.begin("other", startsOver: false, now: 2000 + 86_400).id == 4)
        #expect(try store.begin(nil, startsOver: false, now: 90_000).id == 5)
        #expect(try store.begin(nil, startsOver: false, now: 90_000).id == 6)
        let run = try store.begin("s", startsOver: false, now: 90_000)
        try store.finishListing(of: run)
        #expect(try store.begin("s", startsOver: false, now: 90_000).isListed)
        try store.end(run, now: 90_000)
        #expect(try store.begin("s", startsOver: false, now: 90_000).isResumed == false)
    }

    @Test("a run stored by the first version of the database begins again")
    func earlierForm() throws {
        let old = try Database(directory.filePath("state"), .readWrite)
        let schema = MirrorSchema.file.schema
        try Schema(applicationID: schema.applicationID, versions: [schema.versions[0]]).update(old)
        try old.run(
            """
            INSERT INTO run VALUES (1, 's', 1, 1000, 1, 0, 'http://host/', NULL);
            INSERT INTO file (id, path, run, pass, turn, item) VALUES (1, 'a', 1, 1, 1, X'7B7D');
            """)
        old.close()
        let store = try open()
        #expect(
            try store.begin("s", startsOver: false, now: 1000)
                == .init(id: 2, pass: 1, isResumed: false, isListed: false))
        #expect(try store.waiting(after: 0, atMost: 1).isEmpty)
    }

    @Test("a path may occur once in each start of a run")
    func duplicates() throws {
        let store = try open()
        let run = try store.begin("s", startsOver: false, now: 0)
        #expect(try store.add([begun("a", "b")], of: run, turn: 1).conflicts.isEmpty)
        let other = MirrorItem([try Source("http://other/b")], path: try RelativePath("b"))
        let repeated = try store.add([ListingBatch(items: [other]), batch("b", "c")], of: run, turn: 3)
        #expect(repeated.conflicts == [other] && repeated.same == 1)
        #expect(try store.problems().map(\.place) == ["http://other/b"])
        let again = try store.begin("s", startsOver: false, now: 0)
        // Their directory is not known to be complete.
        #expect(try store.problems().isEmpty)
        #expect(try store.add([batch("a", "b")], of: again, turn: 5).conflicts.isEmpty)
        // In their earlier places.
        #expect(try store.waiting(after: 0, atMost: 10).map(\.item.path.text) == ["a", "b", "c"])
    }

    @Test(
        "a file that is listed again after it was processed is the same one unless its digest or size differs"
    )
    func listedWhenComplete() throws {
        let store = try open()
        let run = try store.begin("s", startsOver: false, now: 0)
        func batch(_ name: String, size: Int64, _ digest: String) throws -> ListingBatch {
            var item = try item(name)
            item.size = size
            item.checksums = [try Checksum(.sha256, String(repeating: digest, count: 64))]
            return ListingBatch(items: [item])
        }
        let first = [try batch("a", size: 1, "0"), try batch("failed", size: 1, "0")]
        #expect(try store.add(first, of: run, turn: 1).conflicts.isEmpty)
        let ids = try store.waiting(after: 0, atMost: 2).map(\.id)
        try store.apply([.record(id: try #require(ids.first), record), .done(ids: ids, run: run.id)])
        let again = try store.add(first, of: run, turn: 3)
        #expect(again.conflicts.isEmpty && again.same == 2)
        for other in [try batch("a", size: 1, "1"), try batch("a", size: 2, "0")] {
            #expect(try store.add([other], of: run, turn: 5).conflicts.count == 1)
        }
    }

    @Test("pages stored together equal those stored one by one")
    func together() throws {
        let store = try open()
        let run = try store.begin("s", startsOver: false, now: 0)
        var third = try batch("c")
        third.items.insert(MirrorItem([try Source("http://other/b")], path: try RelativePath("b")), at: 0)
        let pages = [try begun("a", "b"), try batch(), third, try batch("d")]
        #expect(try store.add(pages, of: run, turn: 1).conflicts.map(\.path.text) == ["b"])
        #expect(try store.problems().map(\.place) == ["http://other/b"])
        #expect(try store.waiting(after: 0, atMost: 10).map(\.item.path.text) == ["a", "b", "c", "d"])
        #expect(try store.waiting(after: 0, atMost: 10).map(\.turn) == [1, 2, 4, 5])
    }

    @Test("a list that is read again takes precedence")
    func readAgain() throws {
        let store = try open()
        var run = try store.begin("s", startsOver: false, now: 0)
        _ = try store.add([batch("a", "b", "c")], of: run, turn: 1)
        for file in try store.waiting(after: 0, atMost: 2) {
            try store.apply([.record(id: file.id, record), .done(ids: [file.id], run: run.id)])
        }
        run = try store.begin("s", startsOver: false, now: 0)
        #expect(try store.waiting(after: 0, atMost: 10).isEmpty)
        _ = try store.add([batch("b", "d")], of: run, turn: 1)
        try store.finishListing(of: run)
        let waiting = try store.waiting(after: 0, atMost: 10)
        #expect(waiting.map(\.item.path.text) == ["b", "d"])
        // A copy fetched a moment ago is known.
        #expect(waiting.map(\.record?.checked) == [run.id, nil])
        #expect(try store.complete(in: run, after: "", atMost: 10).isEmpty)
        let gone = try store.gone(in: run, after: "", atMost: 10)
        #expect(gone.map(\.path.text) == ["a", "c"] && gone.map(\.record) == [record, nil])
    }

    @Test("entries waiting since an earlier start keep their positions when listed again")
    func keepsPlace() throws {
        let store = try open()
        _ = try store.add([begun("a", "b")], of: store.begin("s", startsOver: false, now: 0), turn: 1)
        let run = try store.begin("s", startsOver: false, now: 0)
        #expect(run.isResumed && run.pass == 2)
        #expect(try store.add([batch("b", "c")], of: run, turn: 3).conflicts.isEmpty)
        let waiting = try store.waiting(after: 0, atMost: 10)
        #expect(waiting.map(\.item.path.text) == ["a", "b", "c"])
        #expect(waiting.map(\.turn) == [1, 2, 4])
        // The next run assigns new ones.
        let next = try store.begin("s", startsOver: true, now: 0)
        _ = try store.add([batch("b")], of: next, turn: 1)
        #expect(try store.waiting(after: 0, atMost: 10).map(\.turn) == [1])
    }

    @Test("existing files no longer wait, even after reopening")
    func done() throws {
        var store = try open()
        var run = try store.begin("s", startsOver: false, now: 0)
        _ = try store.add([begun("b", "a", "c")], of: run, turn: 1)
        let waiting = try store.waiting(after: 0, atMost: 2)
        #expect(waiting.map(\.item.path.text) == ["b", "a"])
        try store.apply([.record(id: waiting[0].id, record), .done(ids: [waiting[0].id], run: run.id)])
        // It has not got its name yet: it still waits.
        try store.apply([.record(id: waiting[1].id, record)])
        store.close()
        store = try open()
        run = try store.begin("s", startsOver: false, now: 0)
        let left = try store.waiting(after: 0, atMost: 10)
        #expect(left.map(\.item.path.text) == ["a", "c"])
        #expect(left.map(\.record) == [record, nil])
        #expect(try store.done(in: run) == (1, 1))
        #expect(try store.complete(in: run, after: "", atMost: 10).map(\.path.text) == ["b"])
        // The next run lists only a.
        let next = try store.begin("s", startsOver: true, now: 0)
        _ = try store.add([batch("a")], of: next, turn: 1)
        try store.finishListing(of: next)
        #expect(try store.gone(in: next, after: "", atMost: 10).map(\.path.text) == ["b", "c"])
        #expect(try store.knows(RelativePath("b")) && !store.knows(RelativePath("c")))
    }

    @Test("items are returned as they were stored")
    func items() throws {
        let store = try open()
        let run = try store.begin("s", startsOver: false, now: 0)
        var item = MirrorItem(
            [try Source("http://us%40er:p%3Aw@host/a?b=c"), try Source("https://host:81/%C3%A4")],
            path: try RelativePath("dir/ä"), size: 5)
        item.checksums = [try Checksum(.md5, String(repeating: "1", count: 32))]
        item.etag = "W/\"x%\n\""
        item.modified = 7
        item.headers = [HTTPHeader("A", "b: c%0A"), HTTPHeader("B", "")]
        item.expectedTypes = ["image/*", "text/plain"]
        item.options = ["split": ["3"], "max-tries": ["%"]]
        item.pieces = try PieceHashes(length: 3, [Checksum(.sha1, String(repeating: "2", count: 40))])
        _ = try store.add([ListingBatch(items: [item])], of: run, turn: 1)
        #expect(try store.waiting(after: 0, atMost: 10).map(\.item) == [item])
    }

    @Test("remembers which directories are listed")
    func directories() throws {
        let store = try open()
        let run = try store.begin("s", startsOver: false, now: 0)
        func directory(_ path: String) throws -> ListingWalk.Directory {
            .init(source: try Source("http://host/\(path)/"), path: try RelativePath(path))
        }
        var first = ListingBatch()
        first.notes.root = "http://host/"
        first.notes.found = [try directory("a"), try directory("b")]
        first.notes.finished = [""]
        _ = try store.add([first], of: run, turn: 1)
        var second = ListingBatch(directory: "b")
        second.notes.finished = ["b"]
        second.notes.found = [try directory("b/c")]
        _ = try store.add([second], of: run, turn: 1)
        var walk = ListingWalk(start: try Source("http://user:pw@host/"))
        try walk.resume(from: try store.listingState())
        var left: [String] = []
        while let next = walk.next() {
            left.append(next.path?.text ?? "")
            #expect(next.source.credentials?.password == "pw")
        }
        #expect(left.sorted() == ["a", "b/c"])
    }

    @Test("refuses other programs' databases and second processes, and leaves an original unchanged")
    func refuses() throws {
        try directory.write("no database at all, but long enough to be looked at", to: "text")
        #expect(throws: DownloadError.self) { try MirrorStore(path: directory.filePath("text")) }
        let store = try open()
        let run = try store.begin("s", startsOver: false, now: 0)
        _ = try store.add([batch("a")], of: run, turn: 1)
        let error = #expect(throws: DownloadError.self) { try open() }
        #expect(error?.code == .locked)
        let copy = try MirrorStore(copyOf: directory.filePath("state"))
        _ = try copy.begin("s", startsOver: true, now: 0)
        #expect(try copy.waiting(after: 0, atMost: 10).isEmpty)
        #expect(try store.waiting(after: 0, atMost: 10).count == 1)
        #expect(try MirrorStore(copyOf: directory.filePath("none")).waiting(after: 0, atMost: 1).isEmpty)
        #expect(!directory.names.contains("none"))
    }
}
