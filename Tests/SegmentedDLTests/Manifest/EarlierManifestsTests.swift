import Foundation
import Testing

@testable import SegmentedDL

/// The files in `Fixtures` were left by a `kill -9`: two by segdl 0.1.0, and two by a version of 2026-11-23,
/// with and without fingerprints.
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

    /// Returns a manifest written by segdl 0.1.0.
    private func first(_ name: String) throws -> Manifest {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/manifest-0.1.0\(name).segdl")
        return try ManifestCodec.decode(Array(Data(contentsOf: file)))
    }

    /// Returns the result of resuming with the bytes counted in a manifest of 0.1.0, after the same response.
    private func resumption(
        _ manifest: Manifest, of url: String, boot: String = "4e680db3-47a9-4259-b375-6c0de37376e6"
    ) throws -> ResumeDecision {
        let resource = ResourceInfo(
            length: 8 << 20, acceptsRanges: true,
            validators: Validators(
                etag: "\"6ae68100-800000\"", lastModified: "Sun, 01 Nov 2026 00:00:00 GMT"))
        let source = try Source(url)
        return .decide(
            .manifest(manifest.recognizing([source])), PartFileState(inode: manifest.inode, size: 8 << 20),
            resource: resource, sources: SourceDigests(answered: source.digest, all: [source.digest]),
            boot: boot)
    }

    @Test("of 0.1.0 are resumed: with all written bytes, and after a reboot with the durable ones")
    func resumed() throws {
        let manifest = try first("")
        let url = "http://127.0.0.1:28931/disk.img"
        let written: [[Int64]] = [[0, 1_081_344], [2_793_472, 3_874_816], [5_591_040, 6_672_384]]
        let durable: [[Int64]] = [[0, 753_664], [2_793_472, 3_547_136], [5_591_040, 6_344_704]]
        #expect(try resumption(manifest, of: url) == .resume(Manifest.rangeSet(written, within: 8 << 20)))
        #expect(
            try resumption(manifest, of: url, boot: "later")
                == .resume(Manifest.rangeSet(durable, within: 8 << 20)))
        #expect(
            try resumption(manifest, of: url + "2") != .resume(Manifest.rangeSet(written, within: 8 << 20)))
    }

    @Test("of 0.1.0 are recognized by the URL as written then")
    func oddURL() throws {
        let manifest = try first("-odd-url")
        guard
            case .resume(let kept) = try resumption(manifest, of: "http://127.0.0.1:28931/disk.img?q=a b&n=é")
        else {
            Issue.record("It is not resumed.")
            return
        }
        #expect(kept.byteCount > 800_000)
        // It was sent in this form, and may be pasted again.
        let sent = "http://127.0.0.1:28931/disk.img?q=a+b&n=%c3%a9"
        #expect(try resumption(manifest, of: sent) == .resume(kept))
    }

    @Test("without fingerprints keep written bytes, with the journal")
    func plain() throws {
        let manifest = try manifest("plain")
        let written: [[Int64]] = [[0, 1_343_488], [2_793_472, 4_071_424], [5_591_040, 6_868_992]]
        #expect(manifest.written == written)
        #expect(manifest.trusted(boot: Self.boot) == Manifest.rangeSet(written, within: manifest.total))
        #expect(manifest.trusted(boot: "another") == Manifest.rangeSet(Self.durable, within: manifest.total))
        #expect(manifest.extents(boot: Self.boot) == nil)
        #expect(manifest.inode == 16_613_527)
    }

    @Test("with fingerprints keep written bytes, with the journal's fingerprints")
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
