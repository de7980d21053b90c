import Testing

@testable import segdl

@Suite struct TerminalTests {
    private func terminal(_ environment: [String: String]) -> Terminal {
        Terminal { environment[$0] }
    }

    @Test func theFirstLocaleVariableCounts() {
        #expect(terminal(["LANG": "de_DE.UTF-8"]).unicode)
        #expect(terminal(["LC_CTYPE": "C.utf8", "LANG": "C"]).unicode)
        #expect(!terminal(["LC_ALL": "C", "LANG": "de_DE.UTF-8"]).unicode)
        #expect(terminal(["LC_ALL": "", "LANG": "de_DE.UTF-8"]).unicode)
        #expect(!terminal([:]).unicode)
    }

    @Test func colorsAreAskedFor() {
        #expect(terminal(["TERM": "xterm"]).color)
        #expect(!terminal(["TERM": "xterm", "NO_COLOR": "1"]).color)
        #expect(terminal(["TERM": "xterm", "NO_COLOR": ""]).color)
        #expect(!terminal(["TERM": "dumb"]).color)
        #expect(!terminal(["TERM": "dumb"]).canRedraw)
        #expect(!terminal([:]).canRedraw)
    }

    @Test func theSizeFallsBack() {
        // -1 is no terminal on any machine.
        let known = ["COLUMNS": "120", "LINES": "40"]
        #expect(Terminal.size(of: -1) { known[$0] } == Terminal.Size(columns: 120, rows: 40))
        #expect(Terminal.size(of: -1) { _ in nil } == Terminal.Size(columns: 80, rows: 24))
        #expect(Terminal.size(of: -1) { _ in "-3" } == Terminal.Size(columns: 80, rows: 24))
        #expect(!Terminal.isTerminal(-1))
    }
}
