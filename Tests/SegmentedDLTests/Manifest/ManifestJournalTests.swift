import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The journal behind a manifest")
struct ManifestJournalTests {
    private let later: [ByteRange] = [300..<400, 250..<300, 900..<1000]

    private func lines(_ ranges: [ByteRange]) -> [UInt8] { ranges.flatMap { ManifestCodec.encode($0) } }

    private func withJournal(_ ranges: [ByteRange]) throws -> [UInt8] {
        try ManifestCodec.encode(.fixture()) + lines(ranges)
    }

    private func written(_ manifest: Manifest) -> ByteRangeSet {
        Manifest.rangeSet(manifest.written, within: manifest.total)
    }

    @Test("later writes are added, and are not durable")
    func added() throws {
        let manifest = try ManifestCodec.decode(withJournal(later))
        #expect(manifest.written == [[0, 400], [500, 750], [900, 1000]])
        #expect(manifest.durable == Manifest.fixture().durable)
        #expect(manifest.isSound)
    }

    @Test("a repeated range counts once")
    func twice() throws {
        let manifest = try ManifestCodec.decode(withJournal([0..<10, 300..<400, 300..<400, 350..<450]))
        #expect(manifest.written == [[0, 250], [300, 450], [500, 750]])
    }

    @Test("only whole lines of a truncated one are believed")
    func truncations() throws {
        let start = try withJournal([]).count
        let bytes = try withJournal(later)
        for count in start...bytes.count {
            let whole = bytes[start..<count].count { $0 == 0x0a }
            var expected = written(.fixture())
            for range in later.prefix(whole) { expected.insert(contentsOf: range) }
            let manifest = try ManifestCodec.decode(Array(bytes.prefix(count)))
            #expect(written(manifest) == expected, "\(count - start) bytes of the journal")
        }
    }

    @Test("no flipped bit claims a byte that was not written")
    func bitFlips() throws {
        let start = try withJournal([]).count
        let bytes = try withJournal(later)
        let all = written(try ManifestCodec.decode(bytes))
        for index in start..<bytes.count {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << bit
                let manifest = try ManifestCodec.decode(flipped)
                #expect(written(manifest).isSubset(of: all), "byte \(index - start), bit \(bit)")
                #expect(written(.fixture()).isSubset(of: written(manifest)))
            }
        }
    }

    @Test("extents are added to those of the manifest, and no flipped bit changes one")
    func extents() throws {
        var manifest = Manifest.fixture()
        manifest.extents = ExtentList([Extent(range: 0..<250, fingerprint: 1)])
        let later = [Extent(range: 250..<300, fingerprint: 2), Extent(range: 0..<250, fingerprint: 3)]
        let head = try ManifestCodec.encode(manifest)
        let bytes = head + later.flatMap { ManifestCodec.encode($0) }
        let decoded = try ManifestCodec.decode(bytes)
        #expect(decoded.extents == ExtentList(later))
        #expect(decoded.written == [[0, 300], [500, 750]])
        for index in head.count..<bytes.count {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << bit
                let extents = try #require(try ManifestCodec.decode(flipped).extents?.extents)
                #expect(extents.allSatisfy { later.contains($0) || $0.fingerprint == 1 }, "byte \(index)")
            }
        }
    }

    @Test("nothing after a damaged line is believed")
    func spoilt() throws {
        for junk in ["junk", "", "+ 1 2", "+ 300 400 0", "- 300 400 x", "+ 400 300 x"] {
            let bytes = try withJournal([250..<260]) + Array("\(junk)\n".utf8) + lines([900..<1000])
            #expect(try ManifestCodec.decode(bytes).written == [[0, 260], [500, 750]], "\(junk)")
        }
    }

    @Test("a range beyond the file is ignored")
    func beyond() throws {
        let manifest = try ManifestCodec.decode(withJournal([999..<1001, 900..<950]))
        #expect(manifest == .fixture())
    }

    @Test("a published draft is appended to under the manifest's name")
    func draft() throws {
        let directory = try ScratchDirectory()
        let store = ManifestStore(DownloadPaths(directory.file("x")))
        let draft = try ManifestDraft(.fixture(), beside: store.path, durably: false)
        #expect(try store.load() == .absent)
        draft.append(ManifestCodec.encode(250..<260))
        try draft.replaceOld()
        draft.append(ManifestCodec.encode(260..<300))
        draft.close()
        #expect(try directory.names() == ["x.part.segdl"])
        guard case .manifest(let manifest) = try store.load() else {
            Issue.record("no manifest")
            return
        }
        #expect(manifest.written == [[0, 300], [500, 750]])
        // A new manifest starts with an empty journal.
        try store.save(.fixture(), durably: false)
        #expect(try store.load() == .manifest(.fixture()))
    }
}
