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

    private func checkpointer(_ durability: Durability) -> Checkpointer {
        Checkpointer(
            part: part, store: store, plan: plan, template: .fixture(written: [[0, 250]]),
            durability: durability)
    }

    private func manifest() throws -> Manifest {
        guard case .manifest(let manifest) = try store.load() else { throw StorageError.cut(store.path) }
        return manifest
    }

    private func write(_ range: ByteRange, _ checkpointer: Checkpointer) {
        plan.withLock { plan, _ in plan.wrote(range) }
        checkpointer.wrote(range)
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

    @Test("after a sync that failed nothing more is claimed, also if the next one succeeds")
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
