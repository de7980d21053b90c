import Testing

@testable import SegmentedDL

@Suite struct EscapedNameTests {
    @Test(
        "characters that a file system may refuse are found, each once",
        arguments: [
            ("disk.iso", ""), ("a:b:c?", ":?"), ("a.", "."), ("b ", " "), ("é漢.zip", "é漢"), ("a.b c", ""),
            ("", ""),
        ])
    func doubtful(name: String, characters: String) {
        #expect(EscapedName.doubtful(name) == characters)
    }

    @Test(
        "they are escaped so that two names remain distinct",
        arguments: [
            ("a:b.bin", false, "a%3Ab.bin"), ("a?b.bin", false, "a%3Fb.bin"), ("a.", false, "a%2E"),
            ("é:", false, "é%3A"), ("é:", true, "%C3%A9%3A"), ("plain", true, "plain"),
        ])
    func make(name: String, escapesAll: Bool, escaped: String) {
        #expect(EscapedName.make(name, escapesAll: escapesAll) == escaped)
    }
}
