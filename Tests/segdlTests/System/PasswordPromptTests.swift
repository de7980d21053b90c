import Testing

@testable import segdl

@Suite("The password prompt")
struct PasswordPromptTests {
    @Test(
        "returns what was typed and not erased",
        arguments: [
            ("secret\n", .password("secret")), ("secret\r", .password("secret")), ("\n", .password("")),
            ("sé\u{7f}e\n", .password("se")), ("\u{8}a\n", .password("a")),
            ("wrong\u{15}right\n", .password("right")), ("a\u{4}", .password("a")), ("\u{4}", .nothing),
            ("abc\u{3}", .interrupted), ("abc\u{1c}", .interrupted), ("abc", nil),
        ] as [(String, PasswordPrompt.Answer?)])
    func typed(text: String, expected: PasswordPrompt.Answer?) {
        var line = PasswordPrompt.TypedLine()
        var answer: PasswordPrompt.Answer?
        for byte in text.utf8 where answer == nil { answer = line.type(byte) }
        #expect(answer == expected)
    }
}
