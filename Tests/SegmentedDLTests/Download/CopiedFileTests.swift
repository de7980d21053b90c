import Foundation
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import TestSupport

@Suite("An unfinished file on another file system")
struct CopiedFileTests {
    /// A directory on another file system; `nil` if there is none.
    private static var elsewhere: FilePath? {
        let path = "/dev/shm/segdl-test-\(UUID().uuidString)"
        guard
            (try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false))
                != nil,
            let there = try? SystemCalls.statusFollowingLinks(FilePath(path)),
            let here = try? SystemCalls.statusFollowingLinks(FilePath(NSTemporaryDirectory())),
            there.device != here.device
        else { return nil }
        return FilePath(path)
    }

    private let content = Array("content".utf8)

    /// Completes a file up to the point of a kill right after the rename, or right before it.
    private func leave(_ paths: DownloadPaths, _ source: Source, isNamed: Bool) throws {
        let part = try PartFile(paths)
        defer { part.close() }
        try content.withUnsafeBytes { try part.write($0, at: 0) }
        let store = ManifestStore(paths)
        let manifest = Manifest(
            url: source.description, urlDigest: source.digest, total: 7, inode: try part.status().inode,
            boot: BootIdentity.current, written: [[0, 7]], durable: [], updated: 0)
        try store.save(manifest, durably: false)
        let ready = try Finalizer.prepare(part, at: paths, length: 7, manifest: store, durability: .process)
        #expect(ready.path == paths.moving)
        if isNamed { _ = try Finalizer.giveName(ready, of: part, policy: .fail) }
    }

    @Test("is recognized as complete after a kill at the rename", arguments: [true, false])
    func killed(isNamed: Bool) async throws {
        let elsewhere = try #require(Self.elsewhere)
        defer { try? FileManager.default.removeItem(atPath: elsewhere.string) }
        let directory = try TemporaryDirectory()
        let source = try Source("http://host/file")
        let destination = directory.filePath("file")
        try leave(DownloadPaths(destination, in: elsewhere), source, isNamed: isNamed)
        var configuration = Configuration()
        configuration.durability = .process
        configuration.incompleteDirectory = elsewhere
        let engine = MemoryEngine { [content] request, _ in .honest(content, request.range) }
        let downloader = Downloader(configuration: configuration, engine: engine)
        let result = try await downloader.download(DownloadRequest(source, to: .file(destination)))
        #expect(result.outcome == .downloaded && result.length == 7)
        #expect(engine.requests.isEmpty)
        #expect(directory.names == ["file"])
        #expect(try directory.read("file") == content)
        #expect(try TemporaryDirectory.names(of: elsewhere.string).isEmpty)
    }
}
