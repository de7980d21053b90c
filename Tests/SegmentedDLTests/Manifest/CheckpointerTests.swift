import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Checkpoints")
struct CheckpointerTests {
    private let directory: ScratchDirectory
    private let part: PartFile
    private let store: ManifestStore
    /// An earlier run has left 250 durable bytes.
    private let plan = SharedPlan(SegmentPlan(total: 1000, written: ByteRangeSet(0..<250)))

    init() throws {
        directory = try ScratchDirectory()
        let paths = DownloadPaths(directory.file("x"))
        part = try PartFile(paths)
        store = ManifestStore(paths)
    }

    private func checkpointer(_ durability: Durability, _ extents: ExtentRecorder? = nil) -> Checkpointer {
        Checkpointer(
            part: part, store: store, plan: plan, template: .fixture(written: [[0, 250]]),
            durability: durability, extents: extents)
    }

    private func manifest() throws -> Manifest {
        guard case .manifest(let manifest) = try store.load() else { throw StorageError.cut(store.path) }
        return manifest
    }

    private func write(_ range: ByteRange, _ checkpointer: Checkpointer) {
        let bytes = [UInt8](repeating: 7, count: Int(range.length))
        bytes.withUnsafeBytes { bytes in
            checkpointer.wrote(bytes, at: range.lowerBound) { plan.withLock { plan, _ in plan.wrote(range) } }
        }
    }

    @Test("bytes that replace wrong ones are not durable before a sync, although the wrong ones were")
    func takenBack() async throws {
        let checkpointer = checkpointer(.process)
        plan.withLock { plan, _ in plan.unwrite(100..<200) }
        checkpointer.takeBack(100..<200)
        write(100..<200, checkpointer)
        try await checkpointer.checkpoint()
        #expect(try manifest().written == [[0, 250]])
        #expect(try manifest().durable == [[0, 100], [200, 250]])
    }

    @Test("manifests saved concurrently do not remove each other's draft")
    func simultaneous() async throws {
        let checkpointer = checkpointer(.process)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 { group.addTask { try await checkpointer.checkpoint() } }
            try await group.waitForAll()
        }
        #expect(try manifest().written == [[0, 250]])
        #expect(try directory.names().filter { $0.hasSuffix(".new") } == [])
    }

    @Test("bytes are durable once a sync has covered them, and only with --durability power")
    func synced() async throws {
        let cases: [(Durability, [[Int64]])] = [(.process, [[0, 250]]), (.power, [[0, 500]])]
        for (durability, durable) in cases {
            let checkpointer = checkpointer(durability)
            write(250..<500, checkpointer)
            try await checkpointer.checkpoint()
            #expect(try manifest().written == [[0, 500]])
            #expect(try manifest().durable == durable)
        }
    }

    @Test("writes between two checkpoints are in the journal")
    func journal() async throws {
        let checkpointer = checkpointer(.process)
        try await checkpointer.begin()
        write(500..<600, checkpointer)
        #expect(try manifest().written == [[0, 250], [500, 600]])
        #expect(try manifest().durable == [[0, 250]])
    }

    @Test("extents grow in the journal, and after a power cut those of the last sync count")
    func extents() async throws {
        let recorder = try #require(
            ExtentRecorder(ExtentList([Extent(range: 0..<250, fingerprint: 1)]), total: 1000))
        let checkpointer = checkpointer(.power, recorder)
        try await checkpointer.begin()
        write(250..<300, checkpointer)
        try await checkpointer.checkpoint()
        let synced = recorder.list
        write(300..<400, checkpointer)
        write(700..<800, checkpointer)
        let journaled = try manifest()
        #expect(journaled.extents == recorder.list)
        #expect(journaled.extents?.extents.map(\.range) == [0..<250, 250..<400, 700..<800])
        // A manifest saved between two syncs.
        try await DiskThread.run { try checkpointer.saveManifest() }
        let saved = try manifest()
        #expect(saved.extents == recorder.list)
        #expect(saved.extents(boot: saved.boot) == recorder.list)
        let afterCut = try #require(saved.extents(boot: "another"))
        #expect(
            ResumedExtent.list(afterCut, trusted: saved.trusted(boot: "another")).map(\.extent)
                == synced.extents)
        #expect(saved.trusted(boot: "another") == ByteRangeSet(0..<300))
    }

    // MARK: Small files

    private func write(
        _ range: ByteRange, to part: PartFile, _ plan: SharedPlan, _ checkpointer: Checkpointer
    ) throws {
        let bytes = [UInt8](repeating: 7, count: Int(range.length))
        let writer = PartWriter(part: part, plan: plan, checkpointer: checkpointer)
        try bytes.withUnsafeBytes { try writer.write($0, at: range.lowerBound) }
    }

    @Test("a small file has no manifest until it is kept; then all of its bytes count, and none is durable")
    func kept() async throws {
        let paths = DownloadPaths(directory.file("small"))
        let store = ManifestStore(paths)
        let small = try #require(try PartFile.unnamed(paths), "no unnamed files here")
        let recorder = try #require(ExtentRecorder(ExtentList(), total: 1000))
        let plan = SharedPlan(SegmentPlan(total: 1000))
        let checkpointer = Checkpointer(
            part: small, store: store, plan: plan, template: .fixture(written: [], durable: []),
            durability: .power, extents: recorder, waits: true)
        try await checkpointer.begin()
        try write(0..<300, to: small, plan, checkpointer)
        try await checkpointer.checkpoint()
        #expect(!checkpointer.keeps)
        #expect(try store.load() == .absent)
        #expect(small.isUnnamed)

        checkpointer.keep()
        #expect(checkpointer.keeps && !small.isUnnamed)
        try write(300..<400, to: small, plan, checkpointer)
        guard case .manifest(let manifest) = try store.load() else {
            Issue.record("no manifest")
            return
        }
        #expect(manifest.written == [[0, 400]])
        #expect(manifest.durable == [])
        #expect(manifest.trusted(boot: manifest.boot) == ByteRangeSet(0..<400))
        for extent in try #require(manifest.extents).extents { #expect(try extent.isIntact(in: small)) }
    }

    @Test("a small file is not kept if another one has its name")
    func nameTaken() throws {
        let paths = DownloadPaths(directory.file("small"))
        let small = try #require(try PartFile.unnamed(paths), "no unnamed files here")
        let plan = SharedPlan(SegmentPlan(total: 1000))
        let checkpointer = Checkpointer(
            part: small, store: ManifestStore(paths), plan: plan,
            template: .fixture(written: [], durable: []), durability: .power, waits: true)
        try write(0..<300, to: small, plan, checkpointer)
        let other = try PartFile(paths)
        defer { other.close() }
        checkpointer.keep()
        #expect(!checkpointer.keeps && small.isUnnamed)
        #expect(try ManifestStore(paths).load() == .absent)
    }

    @Test("a small file that cannot be kept continues without a name, and leaves nothing")
    func notKept() throws {
        let paths = DownloadPaths(directory.file("small"))
        let small = try #require(try PartFile.unnamed(paths), "no unnamed files here")
        let plan = SharedPlan(SegmentPlan(total: 1000))
        let checkpointer = Checkpointer(
            part: small, store: ManifestStore(paths), plan: plan,
            template: .fixture(written: [], durable: []), durability: .power, waits: true)
        try write(0..<300, to: small, plan, checkpointer)
        // A manifest cannot replace a directory.
        try SystemCalls.makeDirectory(paths.manifest)
        checkpointer.keep()
        #expect(small.isUnnamed)
        try write(300..<1000, to: small, plan, checkpointer)
        #expect(plan.isComplete)
        #expect(try SystemCalls.statusIfThere(ManifestDraft.path(beside: paths.manifest)) == nil)
    }

    @Test("bytes without a fingerprint are not trusted if fingerprints were computed")
    func uncovered() {
        var manifest = Manifest.fixture()
        manifest.extents = ExtentList([Extent(range: 0..<100, fingerprint: 1)])
        #expect(manifest.trusted(boot: manifest.boot) == ByteRangeSet(0..<100))
        manifest.extents = nil
        #expect(manifest.trusted(boot: manifest.boot).byteCount == 500)
    }

    @Test("after a failed sync no further bytes are claimed, even if the next one succeeds")
    func lost() async throws {
        let checkpointer = checkpointer(.power)
        try await checkpointer.begin()
        write(250..<500, checkpointer)
        checkpointer.lost(because: StorageError(action: "synchronize", path: part.path, errno: .ioError))
        #expect(throws: StorageError.self) { try checkpointer.checkNothingIsLost() }
        await #expect(throws: StorageError.self) { try await checkpointer.checkpoint() }
        write(500..<600, checkpointer)
        #expect(try manifest().written == [[0, 250]])
        #expect(try manifest().durable == [[0, 250]])
    }
}
