import Testing

@testable import segdl

@Suite struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.decode(text.utf8)
    }

    @Test(
        arguments: [
            ("p", [.character("p")]), ("\r", [.enter]), ("\n", [.enter]), ("\u{C}", [.control("l")]),
            ("\u{1B}[A", [.up]), ("\u{1B}OA", [.up]), ("\u{1B}[B", [.down]), ("\u{1B}OB", [.down]),
            ("\u{1B}[5~", [.pageUp]), ("\u{1B}[6~", [.pageDown]), ("\u{1B}[H", [.home]),
            ("\u{1B}OH", [.home]),
            ("\u{1B}[1~", [.home]), ("\u{1B}[7~", [.home]), ("\u{1B}[F", [.end]), ("\u{1B}[4~", [.end]),
            ("\u{1B}[8~", [.end]), ("\u{1B}OM", [.enter]), ("\u{1B}[1;5A", [.up]), ("\u{1B}[5;2~", [.pageUp]),
            ("é", [.character("é")]), ("日", [.character("日")]), ("🎉", [.character("🎉")]),
            ("jk\u{1B}[Ax", [.character("j"), .character("k"), .up, .character("x")]),
        ] as [(String, [Key])])
    func known(text: String, expected: [Key]) {
        #expect(keys(text) == expected)
        // In one read per byte.
        var decoder = KeyDecoder()
        #expect(text.utf8.flatMap { decoder.decode([$0]) } == expected)
        #expect(!decoder.isPending)
    }

    @Test(arguments: [
        "\u{1B}[3~", "\u{1B}[15~", "\u{1B}OP", "\u{1B}[Z", "\u{1B}[I", "\u{1B}[?62;4c", "\u{1B}[<0;12;7M",
        "\u{1B}[0;12;7M", "\u{1B}[[A", "\u{1B}[M x!", "\u{1B}p", "\u{1B}é", "\u{1B}]11;rgb:0/x/p\u{7}",
        "\u{1B}]11;xp\u{1B}\\", "\u{1B}P1$r0xpq\u{1B}\\", "\u{1B}_px\u{1B}\\",
        "\u{1B}[1;2;3;4;5;6;7;8;9;10;11R",
        "\u{1B}[120;1u", "\u{1B}[ A", "\u{7F}", "\0",
    ])
    func unknownIsSwallowedWhole(text: String) {
        #expect(keys(text + "q") == [.character("q")])
        var decoder = KeyDecoder()
        #expect((text + "q").utf8.flatMap { decoder.decode([$0]) } == [.character("q")])
    }

    @Test func aLoneEscapeIsKnownByTheSilenceBehindIt() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]) == [])
        #expect(decoder.isPending)
        #expect(decoder.tick() == [.escape])
        #expect(!decoder.isPending)
        #expect(decoder.tick() == [])
        #expect(decoder.decode([0x1B, 0x1B, 0x5B, 0x41]) == [.escape, .up])
    }

    @Test(arguments: ["\u{1B}[", "\u{1B}[1;", "\u{1B}O", "\u{1B}]0;x", "\u{1B}[M", "\u{1B}[["])
    func whatIsNotFinishedIsForgotten(text: String) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(text.utf8) == [])
        #expect(decoder.tick() == [])
        #expect(decoder.decode("p".utf8) == [.character("p")])
    }

    @Test func halfACharacterIsForgotten() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xE6, 0x97]) == [])
        #expect(decoder.decode([0x70]) == [.character("p")])
        #expect(decoder.decode([0xE6, 0x97]) == [])
        #expect(decoder.tick() == [])
        #expect(decoder.decode([0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80]) == [])
        #expect(!decoder.isPending)
    }

    @Test func oneByteForms() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x9B, 0x41, 0x8F, 0x42]) == [.up, .down])
    }

    @Test func pastedTextIsNotTyped() {
        #expect(keys("\u{1B}[200~xypq\u{1B}[A\r\u{1B}[20\u{1B}[201~j") == [.character("j")])
        var decoder = KeyDecoder()
        #expect("\u{1B}[200~xy\u{1B}\u{1B}[201~j".utf8.flatMap { decoder.decode([$0]) } == [.character("j")])
    }

    @Test func aPasteWhoseEndIsLostEnds() {
        var decoder = KeyDecoder()
        #expect(decoder.decode("\u{1B}[200~xy".utf8) == [])
        #expect(decoder.tick() == [])
        #expect(decoder.decode("xy".utf8) == [])
        for _ in 0..<20 { #expect(decoder.isPending && decoder.tick() == []) }
        #expect(decoder.decode("p".utf8) == [.character("p")])
    }

    @Test func garbageEndsInSilence() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var decoder = KeyDecoder()
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...255) : Array("\u{1B}[O]MP~;2<".utf8).randomElement() ?? 0
            }
            _ = decoder.decode(bytes)
            for _ in 0..<20 { _ = decoder.tick() }
            #expect(!decoder.isPending)
            #expect(decoder.decode("j".utf8) == [.character("j")])
        }
    }
}
