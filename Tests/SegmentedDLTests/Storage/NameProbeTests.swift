import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Names that a directory accepts")
struct NameProbeTests {
    @Test(
        "case sensitivity is determined by an existing file, without creating one", arguments: [true, false])
    func known(exists: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = FilePath(directory.filePath("d").string)
        try directory.makeDirectory("d")
        if exists { try directory.write("x", to: "d/known") }
        let before = try SystemCalls.status(path).modified
        #expect(!NameProbe.mergesLetters(in: path, known: "known"))
        #expect((try SystemCalls.status(path).modified == before) == exists)
        #expect(try TemporaryDirectory.names(of: path.string) == (exists ? ["known"] : []))
    }

    @Test("two letters are one if the file system says so; nothing is left behind")
    func letters() throws {
        let directory = try TemporaryDirectory()
        let path = FilePath(directory.filePath("d").string)
        try directory.makeDirectory("d")
        #expect(NameProbe.merges("a", "a", in: path))
        #expect(NameProbe.merges("\u{e4}", "\u{c4}", in: path) == NameProbe.mergesLetters(in: path))
        #expect(!NameProbe.merges("a", "b", in: path.appending("missing")))
        #expect(try TemporaryDirectory.names(of: path.string).isEmpty)
    }
}
