import Foundation
import Testing

@testable import SegmentedDL

/// The files in `Fixtures` were left by a `kill -9` on 2026-11-23: with fingerprints, and without, as 0.1.0 wrote them.
@Suite("Manifests of earlier versions")
struct EarlierManifestsTests {
    private static let boot = "dd5f9e2d-f876-45ba-9a49-6ca0cfbf8374"
    private static let durable: [[Int64]] = [[0, 950_272], [2_793_472, 3_743_744], [5_591_040, 6_541_312]]

    private func manifest(_ name: String) throws -> Manifest {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/manifest-\(name).segdl")
        let manifest = try ManifestCodec.decode(Array(Data(contentsOf: file)))
        #expect(manifest.url == "http://127.0.0.1:28931/disk.img")
        #expect(manifest.urlDigest == Digest.sha256(manifest.url.utf8))
        #expect(manifest.total == 8 << 20)
        #expect(manifest.etag == "\"6ae68100-800000\"")
        #expect(manifest.lastModified == "Sun, 01 Nov 2026 00:00:00 GMT")
        #expect(manifest.boot == Self.boot)
        #expect(manifest.durable == Self.durable)
        return manifest
    }

    @Test("without fingerprints keep what was written, with the journal")
    func plain() throws {
        let manifest = try manifest("plain")
        let written: [[Int64]] = [[0, 1_343_488], [2_793_472, 4_071_424], [5_591_040, 6_868_992]]
        #expect(manifest.written == written)
        #expect(manifest.trusted(boot: Self.boot) == Manifest.rangeSet(written, within: manifest.total))
        #expect(manifest.trusted(boot: "another") == Manifest.rangeSet(Self.durable, within: manifest.total))
        #expect(manifest.extents(boot: Self.boot) == nil)
        #expect(manifest.inode == 16_613_527)
    }

    @Test("with fingerprints keep what was written, with the journal's fingerprints")
    func fingerprints() throws {
        let manifest = try manifest("fingerprints")
        let written: [[Int64]] = [[0, 1_343_488], [2_793_472, 4_136_960], [5_591_040, 6_934_528]]
        #expect(manifest.written == written)
        #expect(manifest.trusted(boot: Self.boot) == Manifest.rangeSet(written, within: manifest.total))
        #expect(
            manifest.extents(boot: Self.boot)?.extents.map(\.text) == [
                "0-1343488:28b8e55a8d3655fc", "2793472-4136960:1c6352ea50466abb",
                "5591040-6934528:3883eab32adbcf7d",
            ])
        #expect(
            manifest.extents(boot: "another")?.extents.map(\.text) == [
                "0-950272:e018d1e06bf378a3", "2793472-3743744:7fe9f5d571fbea3e",
                "5591040-6541312:5f82c00729e4c70f",
            ])
        #expect(manifest.inode == 16_613_469)
    }
}
