import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("A manifest after a failure")
struct ManifestForgetTests {
    private let directory: ScratchDirectory
    private let store: ManifestStore

    init() throws {
        directory = try ScratchDirectory()
        store = ManifestStore(DownloadPaths(directory.file("x")))
        try store.save(.fixture(), durably: false)
    }

    @Test("of a sync trusts only what was durable before")
    func sync() throws {
        try store.forget(after: StorageError(action: "synchronize", path: store.path, errno: .ioError))
        #expect(try store.load() == .manifest(.fixture(written: [[0, 250]])))
    }

    @Test("of a truncated part file trusts nothing")
    func cut() throws {
        try store.forget(after: .cut(store.path))
        #expect(try store.load() == .manifest(.fixture(written: [], durable: [])))
    }

    @Test("that does not exist is not created")
    func absent() throws {
        try store.remove()
        try store.forget(after: .cut(store.path))
        #expect(try store.load() == .absent)
    }
}
