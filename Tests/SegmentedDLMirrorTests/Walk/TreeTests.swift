import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("The removal of files below a directory")
struct TreeTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.makeDirectory("root/a/b")
        try directory.makeDirectory("outside")
        for name in ["root/x", "root/a/b/y", "outside/z"] { try directory.write(name, to: name) }
    }

    private func tree() throws -> Tree { try Tree(directory.filePath("root")) }

    private func identity(_ name: String) throws -> FileIdentity {
        try #require(FileIdentity.ofFile(at: directory.filePath(name)))
    }

    @Test("removes the given file, and directories that become empty")
    func removes() throws {
        let tree = try tree()
        #expect(try tree.remove(RelativePath("a/b/y"), identity("root/a/b/y")) == .removed)
        #expect(TemporaryDirectory.isEmptyBut(["x"], directory, "root"))
        #expect(try tree.remove(RelativePath("a/b/y"), nil) == .missing)
        #expect(try tree.remove(RelativePath("x"), identity("outside/z")) == .changed)
        #expect(directory.exists("root/x"))
    }

    @Test("never follows a symbolic link")
    func links() throws {
        try directory.link("root/link", to: directory.file("outside"))
        try directory.link("root/a/up", to: "../../outside")
        let tree = try tree()
        let z = try identity("outside/z")
        #expect(try tree.remove(RelativePath("link/z"), z) == .changed)
        #expect(try tree.remove(RelativePath("a/up/z"), nil) == .changed)
        #expect(try tree.remove(RelativePath("x/z"), nil) == .changed)
        // The link itself can be removed; a directory cannot.
        #expect(try tree.remove(RelativePath("link"), nil) == .removed)
        #expect(try tree.remove(RelativePath("a"), nil) == .changed)
        #expect(directory.exists("outside/z"))
    }

    @Test("visits everything except through links")
    func walks() throws {
        try directory.link("root/a/up", to: "../../outside")
        try directory.write("", to: "root/a/n.part")
        var found: [String] = []
        try tree().forEachFile { found.append(try $0.get().text) }
        #expect(found.sorted() == ["a/b/y", "a/n.part", "a/up", "x"])
    }
}

extension TemporaryDirectory {
    fileprivate static func isEmptyBut(
        _ names: [String], _ directory: TemporaryDirectory, _ name: String
    ) -> Bool {
        (try? Self.names(of: directory.file(name)).sorted()) == names
    }
}
