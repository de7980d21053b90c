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

    @Test("of a sync trusts what was durable before, and no more")
    func sync() throws {
        try store.forget(after: StorageError(action: "synchronize", path: store.path, errno: .ioError))
        #expect(try store.load() == .manifest(.fixture(written: [[0, 250]])))
    }

    @Test("of a part file that someone has cut trusts nothing")
    func cut() throws {
        try store.forget(after: .cut(store.path))
        #expect(try store.load() == .manifest(.fixture(written: [], durable: [])))
    }

    @Test("that is not there stays so")
    func absent() throws {
        try store.remove()
        try store.forget(after: .cut(store.path))
        #expect(try store.load() == .absent)
    }
}
