import Testing

@testable import segdl

@Suite("Arguments")
struct ProcessArgumentsTests {
    @Test(
        "with a URL keep bytes that are not UTF-8 as escapes",
        arguments: [
            ("http://h/\u{1}.bin", "http://h/%D6.bin"),
            ("--mirror=https://h/\u{1}", "--mirror=https://h/%D6"),
            ("http://h/é\u{1}", "http://h/é%D6"),
        ])
    func url(argument: String, text: String) {
        #expect(ProcessArguments.text(of: Self.bytes(argument)) == text)
    }

    @Test("with other text must be UTF-8", arguments: ["\u{1}", "dir/\u{1}", "\u{1}://h/x", "--out=\u{1}"])
    func others(argument: String) {
        #expect(ProcessArguments.text(of: Self.bytes(argument)) == nil)
    }

    @Test("in UTF-8 are not changed", arguments: ["", "é", "http://h/é%D6"])
    func plain(argument: String) {
        #expect(ProcessArguments.text(of: Array(argument.utf8)) == argument)
    }

    /// The text with a byte of GBK for each U+0001.
    private static func bytes(_ text: String) -> [UInt8] { text.utf8.map { $0 == 1 ? 0xd6 : $0 } }
}
