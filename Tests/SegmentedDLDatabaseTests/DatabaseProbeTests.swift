import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDLDatabase

@Suite("A directory for databases")
struct DatabaseProbeTests {
    @Test("takes one where files can be changed; nothing is left behind")
    func usual() throws {
        let directory = try TemporaryDirectory()
        #expect(!DatabaseProbe.isRefused(in: directory.filePath("")))
        #expect(directory.names.isEmpty)
    }

    @Test("that takes no file at all is not called one without databases")
    func missing() throws {
        let directory = try TemporaryDirectory()
        #expect(!DatabaseProbe.isRefused(in: directory.filePath("missing")))
        #expect(directory.names.isEmpty)
    }
}
