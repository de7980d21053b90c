import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Publishing under the final name")
struct FinalizerTests {
    private let directory: ScratchDirectory
    private let part: PartFile
    private let store: ManifestStore

    init() throws {
        directory = try ScratchDirectory()
        part = try PartFile(DownloadPaths(directory.file("x.iso")))
        store = ManifestStore(DownloadPaths(directory.file("x.iso")))
        try Array("content".utf8).withUnsafeBytes { try part.write($0, at: 0) }
        try store.save(.fixture(total: 7, written: [[0, 2]], durable: []), durably: false)
    }

    /// The manifest from which a run right after this one resumes.
    private func kept() throws -> Manifest {
        guard case .manifest(var manifest) = try store.load() else { throw StorageError.cut(store.path) }
        #expect(manifest.boot == BootIdentity.current)
        (manifest.boot, manifest.updated) = ("boot-1", Manifest.fixture().updated)
        return manifest
    }

    private static let whole = Manifest.fixture(total: 7, written: [[0, 7]], durable: [[0, 7]])

    private func finalize(_ policy: ExistingFilePolicy, _ durability: Durability = .power) throws -> FilePath
    {
        let ready = try Finalizer.prepare(
            part, at: DownloadPaths(directory.file("x.iso")), length: 7, manifest: store,
            durability: durability)
        return try Finalizer.publish(
            ready, of: part, manifest: store, policy: policy, durability: durability)
    }

    @Test(
        "the content gets its name, and nothing else remains", arguments: ExistingFilePolicy.allCases,
        Durability.allCases)
    func freeName(policy: ExistingFilePolicy, durability: Durability) throws {
        #expect(try finalize(policy, durability) == directory.file("x.iso"))
        #expect(try directory.names() == ["x.iso"])
        #expect(try directory.read("x.iso") == Array("content".utf8))
    }

    @Test(
        "a file that appeared meanwhile is not overwritten unless asked",
        arguments: [ExistingFilePolicy.fail, .skip])
    func appeared(policy: ExistingFilePolicy) throws {
        try directory.write(Array("theirs".utf8), to: "x.iso")
        let error = try #require(throws: DownloadError.self) { try finalize(policy) }
        #expect(error.code == .fileExists)
        #expect(try directory.read("x.iso") == Array("theirs".utf8))
        // Nothing is lost: the part file and its manifest still exist to resume from.
        #expect(try directory.read("x.iso.part") == Array("content".utf8))
        #expect(try kept() == Self.whole)
    }

    @Test("a part file that was replaced, removed or truncated is not published")
    func replaced() throws {
        try directory.write(Array("intruder".utf8), to: "other")
        try SystemCalls.rename(directory.file("other"), to: part.path)
        for _ in 0..<2 {
            let error = try #require(throws: DownloadError.self) { try finalize(.replace) }
            #expect(error.code == .badPath)
            #expect(!directory.exists("x.iso"))
            try? SystemCalls.remove(part.path)
        }
    }

    @Test("a part file that was truncated is not published")
    func cut() throws {
        try part.empty()
        #expect(throws: DownloadError.self) { try finalize(.fail) }
        #expect(!directory.exists("x.iso"))
    }

    @Test("replacing replaces")
    func replaces() throws {
        try directory.write(Array("old and longer".utf8), to: "x.iso")
        #expect(try finalize(.replace) == directory.file("x.iso"))
        #expect(try directory.read("x.iso") == Array("content".utf8))
        #expect(try directory.names() == ["x.iso"])
    }

    @Test("renaming uses the first free number")
    func renames() throws {
        try directory.write(Array("one".utf8), to: "x.iso")
        try directory.write(Array("two".utf8), to: "x.1.iso")
        #expect(try finalize(.rename) == directory.file("x.2.iso"))
        #expect(try directory.names() == ["x.1.iso", "x.2.iso", "x.iso"])
        #expect(try directory.read("x.iso") == Array("one".utf8))
        #expect(try directory.read("x.2.iso") == Array("content".utf8))
    }

    @Test("a directory that appeared meanwhile is an error that keeps everything")
    func appearedDirectory() throws {
        try directory.makeDirectory("x.iso")
        #expect(throws: (any Error).self) { try finalize(.replace) }
        #expect(try directory.read("x.iso.part") == Array("content".utf8))
        #expect(try kept() == Self.whole)
    }

    @Test("a missing manifest is not an error")
    func noManifest() throws {
        try store.remove()
        #expect(try finalize(.fail) == directory.file("x.iso"))
    }
}
