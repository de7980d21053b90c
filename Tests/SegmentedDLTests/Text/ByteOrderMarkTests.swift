import Testing

@testable import SegmentedDL

@Suite("Pages in UTF-16")
struct ByteOrderMarkTests {
    @Test("are read with and without a mark, in both byte orders", arguments: [true, false])
    func wide(isMarked: Bool) {
        let text = "<a href=\"ä😀\">"
        let units = (isMarked ? [0xfeff] : []) + Array(text.utf16)
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
        let little = units.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        #expect(ByteOrderMark.inUTF8(big) == Array(text.utf8))
        #expect(ByteOrderMark.inUTF8(little + [0x20]) == Array(text.utf8))
    }

    @Test("others are unchanged", arguments: ["", "<", "<a href=\"ä\">", "\u{feff}<a>", "\0\0x"])
    func narrow(text: String) {
        #expect(ByteOrderMark.inUTF8(Array(text.utf8)) == Array(text.utf8))
    }
}
