import Testing

@testable import SegmentedDL

@Suite("Encoding of manifests")
struct ManifestCodecTests {
    private func encoded(payload: String, version: String = "1", name: String = "segdl-manifest") -> [UInt8] {
        Array("\(name) \(version) \(Digest.sha256("\(payload)\n".utf8))\n\(payload)\n".utf8)
    }

    @Test(
        "an encoded one round-trips",
        arguments: [
            Manifest.fixture(), .fixture(total: 0, written: [], durable: []),
            .fixture(total: .max, written: [[0, .max]], durable: [[1, .max]]),
        ])
    func roundTrip(manifest: Manifest) throws {
        let bytes = try ManifestCodec.encode(manifest)
        #expect(try ManifestCodec.decode(bytes) == manifest)
        // Equal manifests have equal encodings.
        #expect(try ManifestCodec.encode(manifest) == bytes)
    }

    @Test("missing or unusual validators round-trip")
    func validators() throws {
        var manifest = Manifest.fixture()
        manifest.etag = nil
        manifest.lastModified = "\"\\/\u{0}é\u{2028}"
        manifest.url = "https://host/a\"b\\c"
        #expect(try ManifestCodec.decode(ManifestCodec.encode(manifest)) == manifest)
    }

    @Test("ten thousand ranges fit into the readable size")
    func manyRanges() throws {
        let ranges = (0..<10_000).map { [Int64($0) * (1 << 40), Int64($0) * (1 << 40) + 1] }
        let manifest = Manifest.fixture(total: 1 << 60, written: ranges, durable: ranges)
        let bytes = try ManifestCodec.encode(manifest)
        #expect(bytes.count <= ManifestCodec.longest)
        #expect(try ManifestCodec.decode(bytes) == manifest)
    }

    @Test("extents round-trip, and an invalid one invalidates the manifest")
    func extents() throws {
        var manifest = Manifest.fixture()
        manifest.extents = ExtentList([
            Extent(range: 0..<250, fingerprint: 7), Extent(range: 500..<750, fingerprint: .max),
        ])
        manifest.durableExtents = ExtentList([Extent(range: 0..<200, fingerprint: 0)])
        let bytes = try ManifestCodec.encode(manifest)
        #expect(try ManifestCodec.decode(bytes) == manifest)
        let line = String(decoding: bytes.split(separator: 0x0a)[1], as: UTF8.self)
        #expect(line.contains(#""extents":"0-250:7 500-750:ffffffffffffffff""#))
        let strange = encoded(payload: line.replacing("0-250:7", with: "250-0:7"))
        #expect(throws: ManifestCodec.Damage.content) { try ManifestCodec.decode(strange) }
    }

    @Test("every truncation is refused")
    func truncations() throws {
        let bytes = try ManifestCodec.encode(.fixture())
        for count in 0..<bytes.count {
            #expect(throws: ManifestCodec.Damage.self, "\(count) bytes") {
                try ManifestCodec.decode(Array(bytes.prefix(count)))
            }
        }
    }

    @Test("every flipped bit is refused, or changes nothing")
    func bitFlips() throws {
        let manifest = Manifest.fixture()
        let bytes = try ManifestCodec.encode(manifest)
        var survived = 0
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << bit
                guard let decoded = try? ManifestCodec.decode(flipped) else { continue }
                survived += 1
                #expect(decoded == manifest, "byte \(index), bit \(bit)")
            }
        }
        // The digest covers everything that matters: hardly any change may pass.
        #expect(survived <= 8)
    }

    @Test("bytes after the end that are not a journal are ignored")
    func appended() throws {
        let bytes = try ManifestCodec.encode(.fixture())
        for extra: [UInt8] in [[0], [0x0a], [0x20, 0x0a], Array("+ 250 300\n".utf8), Array("{}\n".utf8)] {
            #expect(try ManifestCodec.decode(bytes + extra) == .fixture())
        }
    }

    @Test("another version is reported as such", arguments: [0, 2, 3, 999, -1])
    func versions(version: Int) {
        #expect(throws: ManifestCodec.Damage.version(version)) {
            try ManifestCodec.decode(encoded(payload: "{}", version: "\(version)"))
        }
    }

    @Test(
        "foreign text is reported as such",
        arguments: [
            "", "\n", "hello", "hello\nworld", "{\"url\":\"x\"}\n", "segdl-manifest\n", "segdl-manifest 1\n",
            "segdl-manifest one two\n", "segdl-manifest 1 a b\n", "Segdl-Manifest 1 x\n", "\u{0}\u{0}\u{0}\n",
        ])
    func foreign(text: String) {
        #expect(throws: ManifestCodec.Damage.foreign) { try ManifestCodec.decode(Array(text.utf8)) }
    }

    @Test("an endless first line is foreign")
    func endlessLine() {
        let bytes = Array("segdl-manifest 1 ".utf8) + [UInt8](repeating: 0x61, count: 100_000) + [0x0a]
        #expect(throws: ManifestCodec.Damage.foreign) { try ManifestCodec.decode(bytes) }
    }

    @Test(
        "an invalid payload with a correct checksum is refused",
        arguments: [
            "", "{}", "[]", "null", "{\"url\":1}", "not json", "{\"total\":5}",
        ])
    func content(payload: String) {
        #expect(throws: ManifestCodec.Damage.content) { try ManifestCodec.decode(encoded(payload: payload)) }
    }

    @Test(
        "a payload with a correct checksum and invalid ranges is refused",
        arguments: [
            [[0, 1001]], [[-1, 5]], [[5, 5]], [[5, 1]], [[0, 10], [5, 20]], [[1]], [[2000, 3000]],
        ] as [[[Int64]]])
    func ranges(ranges: [[Int64]]) throws {
        let bytes = try ManifestCodec.encode(.fixture(written: ranges, durable: []))
        #expect(throws: ManifestCodec.Damage.content) { try ManifestCodec.decode(bytes) }
    }
}
