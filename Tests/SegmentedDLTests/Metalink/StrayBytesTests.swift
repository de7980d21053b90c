import Testing

@testable import SegmentedDL

@Suite("The bytes of a page that are not UTF-8")
struct StrayBytesTests {
    private func escaped(_ page: [UInt8], size: Int = .max) -> [UInt8] {
        var strays = StrayBytes()
        var made: [UInt8] = []
        var rest = page[...]
        while !rest.isEmpty {
            made += strays.escaped(Array(rest.prefix(size)), isLast: false)
            rest = rest.dropFirst(size)
        }
        return made + strays.escaped([], isLast: true)
    }

    private func text(_ page: [UInt8], size: Int = .max) -> String {
        String(decoding: escaped(page, size: size), as: UTF8.self)
    }

    private static func document(_ before: String, _ stray: [UInt8] = [0xe9], _ after: String = "") -> [UInt8]
    {
        var page = Array(before.utf8)
        page += stray
        page += Array(after.utf8)
        return page
    }

    @Test(
        "become escapes, however they arrive",
        arguments: [
            ([0xe9], "%E9"), ([0x61, 0xe9, 0x2e], "a%E9."), ([0xce, 0xc4, 0xbc, 0xfe], "%CEļ%FE"),
            ([0x95, 0x5c], "%95\\"), ([0xf0, 0x9f, 0x98], "%F0%9F%98"), ([0xc3, 0xa9, 0xe9], "é%E9"),
            ([0xe9, 0xc3, 0xa9], "%E9é"), ([0xc0, 0xaf], "%C0%AF"), ([0xed, 0xa0, 0x80], "%ED%A0%80"),
            ([0x80, 0x80, 0x80, 0x80], "%80%80%80%80"), ([0xff, 0x25, 0x45, 0x39], "%FF%E9"),
        ] as [([UInt8], String)])
    func stray(bytes: [UInt8], text: String) {
        // A page may begin with the mark of UTF-16, so the bytes are not its first ones.
        let page = Self.document("<a>", bytes)
        for size in [1, 2, 3, .max] { #expect(self.text(page, size: size) == "<a>" + text, "\(size)") }
    }

    @Test(
        "are not found in UTF-8, with its mark and escapes",
        arguments: ["", "plain", "é.bin", "%E9.bin", "\u{feff}<a href='ü'>", "文件 😀", "\u{fffd}", "a\u{0}b"])
    func none(page: String) {
        for size in [1, 2, 3, .max] { #expect(text(Array(page.utf8), size: size) == page) }
    }

    @Test(
        "are left to libxml2 if the page has another coding",
        arguments: [
            [0xff, 0xfe, 0x3c, 0x00, 0xe9, 0x00], [0xfe, 0xff, 0x00, 0x3c, 0x00, 0xe9],
            document("<META charset=gbk>"),
            document("<meta http-equiv=x content='text/html; charset=ISO-8859-1'>"),
        ] as [[UInt8]])
    func otherCoding(page: [UInt8]) {
        #expect(escaped(page) == page)
    }

    @Test(
        "become escapes although the page declares UTF-8, or mentions another coding",
        arguments: [
            "<meta charset=\"UTF-8\">", "<meta name=a><a title='charset=gbk'>",
            String(repeating: " ", count: 1024) + "<meta charset=gbk>",
        ])
    func declared(beginning: String) {
        #expect(text(Self.document(beginning)) == beginning + "%E9")
    }

    @Test("of links have their values, and leave the links after them as they are")
    func links() throws {
        let page = Self.document("<a href='", [0xe9], ".bin'></a><a href='é.bin'></a>")
        var parser = try MarkupParser(.html(elements: ["a"]), name: "page")
        let events = try parser.feed(page) + parser.finish()
        let links = events.compactMap { event -> String? in
            if case .start(_, _, let attributes) = event { attributes["href"] } else { nil }
        }
        #expect(links == ["%E9.bin", "é.bin"])
    }

    @Test("at the end of a page are not lost")
    func end() throws {
        var parser = try MarkupParser(.html(elements: ["a"]), name: "page")
        let events = try parser.feed(Self.document("<a>x")) + parser.finish()
        let texts = events.compactMap { event -> String? in
            if case .text(let text) = event { text } else { nil }
        }
        #expect(texts.joined() == "x%E9")
    }

    @Test("of XML are refused")
    func xml() throws {
        #expect(throws: DownloadError.self) {
            var parser = try MarkupParser(.xml, name: "list")
            _ = try parser.feed(Self.document("<a b='", [0xe9], "'/>"))
            _ = try parser.finish()
        }
    }
}
