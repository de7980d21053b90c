import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("Manifests on disk")
struct ManifestStoreTests {
    private let directory: ScratchDirectory
    private let store: ManifestStore

    init() throws {
        directory = try ScratchDirectory()
        store = ManifestStore(DownloadPaths(directory.file("disk.iso")))
    }

    @Test("it is next to its file")
    func path() {
        #expect(store.path == directory.file("disk.iso.part.segdl"))
    }

    @Test("a missing one is absent, not an error")
    func absent() throws {
        #expect(try store.load() == .absent)
    }

    @Test("a saved one is loaded", arguments: [true, false])
    func saved(durably: Bool) throws {
        try store.save(.fixture(), durably: durably)
        #expect(try store.load() == .manifest(.fixture()))
        #expect(try directory.names() == ["disk.iso.part.segdl"])
    }

    @Test("saving again replaces it and leaves no other file")
    func replaced() throws {
        try store.save(.fixture(), durably: false)
        // A run that was killed may have left one half-written.
        try directory.write(Array("half written".utf8), to: "disk.iso.part.segdl.new")
        try store.save(.fixture(total: 500, written: [], durable: []), durably: false)
        #expect(try store.load() == .manifest(.fixture(total: 500, written: [], durable: [])))
        #expect(try directory.names() == ["disk.iso.part.segdl"])
    }

    @Test("a shorter one does not keep the end of a longer one")
    func shorter() throws {
        let ranges = (0..<500).map { [Int64($0) * 2, Int64($0) * 2 + 1] }
        try store.save(.fixture(written: ranges, durable: []), durably: false)
        try store.save(.fixture(), durably: false)
        #expect(try store.load() == .manifest(.fixture()))
    }

    @Test("damage is reported, not thrown")
    func damaged() throws {
        try directory.write([], to: "disk.iso.part.segdl")
        #expect(try store.load() == .damaged(.foreign))
        var bytes = try ManifestCodec.encode(.fixture())
        bytes[bytes.count - 5] ^= 1
        try directory.write(bytes, to: "disk.iso.part.segdl")
        #expect(try store.load() == .damaged(.checksum))
    }

    @Test("oversized files are not read")
    func oversize() throws {
        let good = try ManifestCodec.encode(.fixture())
        let padding = [UInt8](repeating: 0x20, count: ManifestCodec.longest + 1 - good.count)
        try directory.write(good + padding, to: "disk.iso.part.segdl")
        #expect(try store.load() == .damaged(.foreign))
    }

    @Test("a directory or a symbolic link in its place is an error")
    func wrongKind() throws {
        try directory.makeDirectory("disk.iso.part.segdl")
        #expect(throws: StorageError.self) { try store.load() }
        let other = ManifestStore(DownloadPaths(directory.file("linked")))
        try directory.makeLink("linked.part.segdl", to: "elsewhere")
        #expect(throws: StorageError.self) { try other.load() }
    }

    @Test("a missing directory is absent for reading and an error for writing")
    func missingDirectory() throws {
        let store = ManifestStore(DownloadPaths(directory.file("missing").appending("file")))
        #expect(try store.load() == .absent)
        #expect(throws: StorageError.self) { try store.save(.fixture(), durably: false) }
    }

    @Test("it can be removed twice, with the leftovers of a killed run")
    func removed() throws {
        try store.save(.fixture(), durably: false)
        try directory.write([1], to: "disk.iso.part.segdl.new")
        try store.remove()
        #expect(try directory.names().isEmpty)
        try store.remove()
        #expect(try store.load() == .absent)
    }
}
