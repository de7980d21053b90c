import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Another program's unfinished file that is a symbolic link")
struct TakenOverLinkTests {
    @Test("is refused before it is renamed", arguments: ["real", "missing"])
    func refused(target: String) throws {
        let directory = try ScratchDirectory()
        try directory.write(Array("beginning".utf8), to: "real")
        try directory.makeLink("big.bin", to: target)
        for _ in 1...2 {
            let error = try #require(throws: DownloadError.self) {
                try IncompleteFile.takeOver(DownloadPaths(directory.file("big.bin")))
            }
            #expect(error.code == .badPath && error.message.contains("is a symbolic link"), "\(error)")
            #expect(try directory.file("big.bin").linkTarget().hasSuffix("/" + target))
            #expect(try directory.names() == ["big.bin", "real"])
        }
        #expect(try directory.read("real") == Array("beginning".utf8))
    }
}
