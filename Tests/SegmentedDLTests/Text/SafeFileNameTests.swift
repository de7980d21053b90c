import Testing

@testable import SegmentedDL

@Suite("Sanitizing received names")
struct SafeFileNameTests {
    @Test(
        "harmless names are kept unchanged",
        arguments: [
            "a", "disk.iso", "archive.tar.gz", "with blanks.txt", "naïve €.pdf", "日本語.zip", "-rf", "a:b",
            "$(x)", "~", "👩‍🎤.png",
        ])
    func harmless(name: String) {
        // An emoji sequence contains a format character, which is removed.
        let expected = String(String.UnicodeScalarView(name.unicodeScalars.filter { $0 != "\u{200d}" }))
        #expect(SafeFileName.make(name) == expected)
    }

    @Test(
        "only the last part of a path is a name",
        arguments: [
            ("/etc/passwd", "passwd"), ("../../x", "x"), ("..\\..\\x.txt", "x.txt"),
            ("C:\\dir\\file.txt", "file.txt"),
            ("a/b\\c", "c"), ("dir/", "dir"), ("//x//", "x"),
        ])
    func lastPart(received: String, name: String) {
        #expect(SafeFileName.make(received) == name)
    }

    @Test(
        "nothing remains of dots, spaces and separators",
        arguments: [
            "", ".", "..", "...", "/", "\\", "//", "../..", "a/..", "a/.", " ", " . ", ". .", "\u{0}", "\n\r",
            "\u{202e}",
            "\u{200b}\u{200d}",
        ])
    func nothingLeft(received: String) {
        #expect(SafeFileName.make(received) == nil)
    }

    @Test(
        "dots and spaces at the ends are removed",
        arguments: [
            (".bashrc", "bashrc"), ("..hidden", "hidden"), ("  x  ", "x"), ("name.", "name"),
            ("name. . ", "name"),
            ("a.b", "a.b"), ("..a..b..", "a..b"),
        ])
    func ends(received: String, name: String) {
        #expect(SafeFileName.make(received) == name)
    }

    @Test(
        "control, bidi and format characters are removed",
        arguments: [
            ("a\u{0}b", "ab"), ("a\nb\r\nc\td", "abcd"), ("a\u{1b}[31mb", "a[31mb"), ("a\u{7f}b", "ab"),
            ("a\u{85}b", "ab"),
            ("exe\u{202e}gpj.txt", "exegpj.txt"), ("a\u{2066}b\u{2069}c", "abc"), ("a\u{feff}b", "ab"),
            ("a\u{2028}b\u{2029}c", "abc"), (".\u{200b}.", nil), ("\u{200f}.\u{200f}x", "x"),
        ] as [(String, String?)])
    func invisible(received: String, name: String?) {
        #expect(SafeFileName.make(received) == name)
    }

    @Test("a long name with one of our suffixes is not too long either", arguments: ["", "x", "xx"])
    func longWithOurEnding(more: String) throws {
        for ending in [".part.segdl", ".part.segdl.new"] {
            let stem = String(repeating: "x", count: SafeFileName.longest - ending.utf8.count)
            let name = try #require(SafeFileName.make(more + stem + ending))
            #expect(name.utf8.count <= SafeFileName.longest)
            #expect(name.utf8.count >= SafeFileName.cutLength)
            #expect(!name.hasSuffix(ending))
            #expect(SafeFileName.make(name) == name)
        }
    }

    @Test(
        "a long name is cut in its stem and keeps its extension",
        arguments: [".iso", ".tar", ".longer-ending", ""])
    func long(ending: String) throws {
        for stem in [String(repeating: "x", count: 400), String(repeating: "é", count: 300)] {
            let name = try #require(SafeFileName.make(stem + ending))
            #expect(name.utf8.count <= SafeFileName.cutLength)
            #expect(name.utf8.count > SafeFileName.cutLength - 4)
            #expect(name.hasSuffix(ending))
        }
    }

    @Test("an overlong extension is treated as part of the name")
    func longEnding() throws {
        let name = try #require(SafeFileName.make("a." + String(repeating: "b", count: 400)))
        #expect(name.utf8.count == SafeFileName.cutLength)
        #expect(name.hasPrefix("a.b"))
    }

    @Test("a name of the maximum length is unchanged")
    func longest() {
        let name = String(repeating: "x", count: SafeFileName.longest)
        #expect(SafeFileName.make(name) == name)
    }

    @Test(
        "a name that would be another download's manifest is changed",
        arguments: [
            ("a.part", "a.part"), ("a.PART", "a.PART"), ("a.part.segdl", "a.part.segdl_"),
            ("a.PART.Segdl", "a.PART.Segdl_"), ("a.part.move", "a.part.move_"),
            ("a.part.segdl.new", "a.part.segdl.new_"), ("a.part.segdl ", "a.part.segdl_"),
            ("a.part.segdl\u{200d}", "a.part.segdl_"), ("a.parts", "a.parts"),
        ])
    func ourEndings(received: String, expected: String) {
        #expect(SafeFileName.make(received) == expected)
    }
}
