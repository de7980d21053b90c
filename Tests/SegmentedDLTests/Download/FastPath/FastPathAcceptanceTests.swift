import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

/// The hosts and directories whose files would only be delayed by the fast path, or requested twice.
@Suite("The fast path accepts")
struct FastPathAcceptanceTests {
    @Test("a host that sends short bodies, unless it limits its requests")
    func hosts() async throws {
        let downloader = try Downloader(Configuration())
        let fastPath = try #require(downloader.makeFastPath())
        let origin = try Source("http://a.example/f").origin
        let host = origin.description
        #expect(!fastPath.serves(origin))
        for _ in 0..<4 { downloader.answered.note(host, isShort: true) }
        #expect(fastPath.serves(origin))
        downloader.scheduler.told(RequestQuota(left: 5, resetSeconds: 60), at: .init(host: host))
        #expect(!fastPath.serves(origin))
        await downloader.shutdown()
    }

    @Test("directories for files without a name")
    func directories() throws {
        let directory = try TemporaryDirectory()
        #expect(FastPathEntrance.hasUnnamedFiles(directory.filePath("")))
        #expect(FastPathEntrance.hasUnnamedFiles(directory.filePath("missing/as/well")))
        #expect(!FastPathEntrance.hasUnnamedFiles("/proc"))
        #expect(!FastPathEntrance.hasUnnamedFiles("/proc/missing"))
    }
}
