import Foundation
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Manifests as seen by a caller")
struct ManifestInfoTests {
    private let directory: ScratchDirectory
    private let store: ManifestStore

    init() throws {
        directory = try ScratchDirectory()
        store = ManifestStore(DownloadPaths(directory.file("x")))
    }

    @Test("a valid one is reported in full")
    func sound() throws {
        try store.save(.fixture(), durably: false)
        let info = try ManifestInfo(path: store.path)
        #expect(info.url == "https://host.example/file")
        #expect(info.length == 1000)
        #expect(info.etag == "\"abc\"")
        #expect(info.writtenRanges == [0..<250, 500..<750])
        #expect(info.durableRanges == [0..<250])
        #expect(!info.isFromThisBoot)
        #expect(info.trustedRanges == info.durableRanges)
        #expect(info.updated == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test("one of this boot trusts written bytes")
    func thisBoot() throws {
        var manifest = Manifest.fixture()
        manifest.boot = BootIdentity.current
        try store.save(manifest, durably: false)
        let info = try ManifestInfo(path: store.path)
        #expect(info.isFromThisBoot)
        #expect(info.trustedRanges == info.writtenRanges)
    }

    @Test("a missing or damaged one is an error with the path")
    func unusable() throws {
        let absent = try #require(throws: DownloadError.self) { try ManifestInfo(path: store.path) }
        #expect(absent.code == .badPath)
        #expect(absent.message.contains("does not exist"))
        try directory.write(Array("something else\n".utf8), to: "x.part.segdl")
        let foreign = try #require(throws: DownloadError.self) { try ManifestInfo(path: store.path) }
        #expect(foreign.code == .badPath)
        #expect(foreign.message.contains("is not the manifest of an unfinished download"))
    }
}
