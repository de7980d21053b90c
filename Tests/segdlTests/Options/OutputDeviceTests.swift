import SystemPackage
import TestSupport
import Testing

@testable import segdl

@Suite("Pipes and devices as the place of a file")
struct OutputDeviceTests {
    @Test("are no regular files, no directories and no missing ones")
    func kinds() throws {
        let directory = try TemporaryDirectory()
        try directory.write("x", to: "file")
        #expect(OutputDevice("/dev/null") != nil)
        for name in ["file", "missing"] { #expect(OutputDevice(directory.filePath(name)) == nil) }
        #expect(OutputDevice("/dev") == nil)
    }
}
