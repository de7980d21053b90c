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
        "the names of devices are found, with any extension and in any case",
        arguments: [
            ("con", "con"), ("CON", "CON"), ("Nul.txt", "Nul"), ("aux", "aux"), ("prn.tar.gz", "prn"),
            ("com1.x", "com1"), ("LPT9", "LPT9"), ("con.", "con"), ("com0", nil), ("com", nil),
            ("com10", nil),
            ("cons", nil), ("icon", nil), ("con-1", nil), (".con", nil), ("a.con", nil), ("", nil),
            ("nul\u{e9}", nil),
        ] as [(String, String?)])
    func device(name: String, device: String?) {
        #expect(EscapedName.device(name) == device)
    }

    @Test(
        "the last character of a device's name is escaped where it is refused",
        arguments: [
            ("con", "co%6E"), ("nul.txt", "nu%6C.txt"), ("AUX", "AU%58"), ("com1.x", "com%31.x"),
            ("con.", "co%6E%2E"), ("prn.a:b", "pr%6E.a%3Ab"), ("icon", "icon"), ("plain.txt", "plain.txt"),
        ])
    func makeDevice(name: String, escaped: String) {
        #expect(EscapedName.make(name, escapesDevice: true) == escaped)
        #expect(EscapedName.device(escaped) == nil)
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
