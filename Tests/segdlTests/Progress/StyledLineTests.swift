import Testing

@testable import segdl

@Suite struct StyledLineTests {
    @Test func rowsAfterANarrowerWindow() {
        #expect(StyledLine("").rows(at: 10) == 1)
        #expect(StyledLine("1234567890").rows(at: 10) == 1)
        #expect(StyledLine("12345678901").rows(at: 10) == 2)
        #expect(StyledLine("123").rows(at: 1) == 3)
        // A wide character that does not fit into the rest of a row leaves a gap.
        #expect(StyledLine("日本語").rows(at: 3) == 3)
        #expect(StyledLine("日本").rows(at: 1) == 2)
    }

    @Test func trimsAcrossLooks() {
        var line = StyledLine("name  ", .bold)
        line.append("  ", .green)
        line.append("  ")
        #expect(line.trimmed().text == "name")
        #expect(line.trimmed().rendered(color: true) == "\u{1B}[1mname\u{1B}[0m")
        #expect(StyledLine("   ").trimmed().text == "")
    }

    @Test func rendersWithAndWithoutColor() {
        var line = StyledLine("a", .red)
        line.append("b")
        #expect(line.rendered(color: false) == "ab")
        #expect(line.rendered(color: true) == "\u{1B}[31ma\u{1B}[0mb")
    }
}
