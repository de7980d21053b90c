import Testing

@testable import segdl

@Suite struct TextWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("\u{301}", 0), ("ﾊﾝ", 2), ("ＡＢ", 4), ("한글", 4),
        ("🎉", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("🇩🇪", 2), ("…", 1), ("·█►", 3), ("𠀀", 2),
    ])
    func columns(text: String, width: Int) {
        #expect(TextWidth.columns(text) == width)
    }

    @Test func joinedEmojiAreAsWideAsTheyCanGet() {
        #expect(TextWidth.columns("👩‍👩‍👧") == 6)
        #expect(TextWidth.columns("👍🏽") == 4)
    }

    @Test(arguments: [
        ("plain name.iso", "plain name.iso"), ("a\u{1B}[31mb", "a?[31mb"), ("a\r\nb", "a??b"),
        ("\u{9B}2J", "?2J"),
        ("\u{202E}gpj.exe", "?gpj.exe"), ("\u{200B}", "?"), ("tab\t", "tab?"), ("\u{7F}", "?"),
        ("é日🎉", "é日🎉"),
        ("👩‍👧", "👩‍👧"), ("\u{2028}", "?"), ("\u{FEFF}x", "?x"),
    ])
    func printable(text: String, expected: String) {
        #expect(TextWidth.printable(text) == expected)
    }

    @Test func printableASCII() {
        #expect(TextWidth.printable("é日🎉👩‍👧.t\u{1B}xt", ascii: true) == "????.t?xt")
        #expect(TextWidth.printable("a\r\nb", ascii: true) == "a?b")
    }

    @Test func shortenedAtTheEnd() {
        #expect(TextWidth.shortened("abcdef", to: 6) == "abcdef")
        #expect(TextWidth.shortened("abcdef", to: 5) == "abcd…")
        #expect(TextWidth.shortened("abcdef", to: 5, ellipsis: "~") == "abcd~")
        #expect(TextWidth.shortened("abcdef", to: 1) == "…")
        #expect(TextWidth.shortened("abcdef", to: 0) == "")
        #expect(TextWidth.shortened("日本語", to: 4) == "日…")
    }

    @Test func shortenedInTheMiddle() {
        #expect(TextWidth.shortened("abcdefghij", to: 7, cut: .middle) == "abc…hij")
        #expect(TextWidth.shortened("abcdefghij", to: 6, cut: .middle) == "abc…ij")
        #expect(TextWidth.shortened("日本語日本語", to: 8, cut: .middle) == "日本…語")
        #expect(TextWidth.shortened("ab", to: 1, cut: .middle) == "…")
    }

    @Test(arguments: [TextWidth.Cut.middle, .end])
    func shortenedFits(cut: TextWidth.Cut) {
        for name in oddNames.map({ TextWidth.printable($0) }) {
            for limit in 0...120 {
                let text = TextWidth.shortened(name, to: limit, cut: cut)
                #expect(TextWidth.columns(text) <= limit)
                // A truncated text uses its room: at most one wide character on each side is missing.
                if text != name, limit > 20 { #expect(TextWidth.columns(text) >= limit - 14) }
            }
        }
    }

    @Test func padded() {
        #expect(TextWidth.padded("日", to: 4) == "日  ")
        #expect(TextWidth.padded("日", to: 4, leading: true) == "  日")
        #expect(TextWidth.padded("abc", to: 2) == "abc")
    }
}
