import SystemPackage
import TestSupport
import Testing

@testable import segdl

@Suite("Pipes and devices as destinations")
struct OutputDeviceTests {
    @Test("are neither regular files, nor directories, nor missing")
    func kinds() throws {
        let directory = try TemporaryDirectory()
        try directory.write("x", to: "file")
        #expect(OutputDevice("/dev/null") != nil)
        for name in ["file", "missing"] { #expect(OutputDevice(directory.filePath(name)) == nil) }
        #expect(OutputDevice("/dev") == nil)
    }
}
