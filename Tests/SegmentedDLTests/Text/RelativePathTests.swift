import Testing

@testable import SegmentedDL

@Suite("Paths below a mirror's root")
struct RelativePathTests {
    @Test(
        "are kept unchanged",
        arguments: [
            "a", "a/b/c.tar.gz", ".hidden", "a..b/...", "with blank ", "ümlaut", "a:b", "-x", "~", "%2e%2e",
            "a\u{200d}b", "50% + more&less",
        ])
    func kept(text: String) throws {
        let path = try RelativePath(text)
        #expect(path.text == text)
        #expect(path.components.joined(separator: "/") == text)
    }

    @Test(
        "are refused if they could leave the root, be hidden, or be an unfinished file",
        arguments: [
            "", "/", "/etc/passwd", "..", "../x", "a/../b", "a/..", "./a", "a/.", "a//b", "a/", "//a", "a\0b",
            "a\nb", "a\u{7f}", "a\u{85}", "a\\b", "..\\x", "x\u{202e}gpj.exe", "a\u{2028}b", "x.part.move",
            "d/X.PART.segdl", "../\u{301}x", "/\u{301}etc", String(repeating: "n", count: 256),
            String(repeating: "d/", count: 128) + "x", String(repeating: "dddddddd/", count: 300) + "x",
        ])
    func refused(text: String) {
        let error = #expect(throws: DownloadError.self) { try RelativePath(text) }
        #expect(error?.code == .badPath)
        #expect(
            error?.message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } ?? false)
    }

    @Test("are compared by their bytes")
    func compared() throws {
        let (composed, decomposed) = (try RelativePath("\u{e9}"), try RelativePath("e\u{301}"))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(try RelativePath("a") < RelativePath("a/b"))
    }

    @Test("have a name and a parent")
    func parts() throws {
        let path = try RelativePath("a/b/c")
        #expect(path.name == "c")
        #expect(path.parent?.text == "a/b")
        #expect(try RelativePath("c").parent == nil)
    }
}
