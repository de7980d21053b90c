import TestSupport
import Testing

@testable import segdl

@Suite(.serialized) struct FullScreenTests {
    private let terminal: PseudoTerminal
    private let window: FullScreen

    init() throws {
        terminal = try PseudoTerminal()
        window = FullScreen(input: terminal.inside, output: terminal.inside, color: false)
    }

    @Test func takesTheTerminalOverAndPutsItBack() {
        #expect(terminal.isCooked)
        window.open()
        #expect(!terminal.isCooked && terminal.hasSignals)
        #expect(terminal.written() == "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?2004h")
        window.close()
        #expect(terminal.isCooked)
        #expect(terminal.written() == "\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l")
        window.close()
        window.draw([StyledLine("late")], size: window.size)
        #expect(terminal.written().isEmpty)
    }

    @Test func writesOnlyWhatIsNew() {
        window.open()
        defer { window.close() }
        _ = terminal.written()
        window.draw([StyledLine("one"), StyledLine("two"), StyledLine("three")], size: window.size)
        #expect(terminal.written().contains("\u{1B}[2J\u{1B}[1;1H\u{1B}[2Kone\u{1B}[2;1H\u{1B}[2Ktwo"))
        window.draw([StyledLine("one"), StyledLine("two"), StyledLine("three")], size: window.size)
        #expect(terminal.written().isEmpty)
        window.draw([StyledLine("one"), StyledLine("2")], size: window.size)
        #expect(
            terminal.written()
                == "\u{1B}[?7l\u{1B}[2;1H\u{1B}[2K2\u{1B}[3;1H\u{1B}[2K\u{1B}[?7h")
    }

    @Test func anotherSizeIsDrawnAgain() {
        window.open()
        defer { window.close() }
        let lines = [StyledLine("one"), StyledLine("two"), StyledLine("three")]
        window.draw(lines, size: window.size)
        _ = terminal.written()
        terminal.resize(columns: 40, rows: 2)
        #expect(window.size == Terminal.Size(columns: 40, rows: 2))
        window.draw(lines, size: window.size)
        let text = terminal.written()
        #expect(text.contains("\u{1B}[2J") && text.contains("two") && !text.contains("three"))
        window.invalidate()
        window.draw(lines, size: window.size)
        #expect(terminal.written().contains("\u{1B}[2J"))
    }

    @Test(.timeLimit(.minutes(10))) func keysComeAsTheyAreTyped() async {
        window.open()
        var keys = window.keys.makeAsyncIterator()
        terminal.type("j\u{1B}[A")
        #expect(await keys.next() == .character("j"))
        #expect(await keys.next() == .up)
        terminal.type("\u{1B}")
        #expect(await keys.next() == .escape)
        window.close()
        #expect(await keys.next() == nil)
    }

    @Test(.timeLimit(.minutes(10))) func aTerminalThatTakesNothingGetsALaterFrame() async throws {
        window.open()
        defer { window.close() }
        _ = terminal.written()
        // Like Ctrl-S.
        terminal.type("\u{13}")
        // The system registers it a little later.
        try await Task.sleep(for: .milliseconds(100))
        window.draw([StyledLine("one")], size: window.size)
        #expect(terminal.written().isEmpty)
        terminal.type("\u{11}")
        try await Task.sleep(for: .milliseconds(100))
        window.draw([StyledLine("two")], size: window.size)
        #expect(terminal.written().contains("two"))
    }

    @Test(.timeLimit(.minutes(10))) func aStoppedTerminalIsPutBack() async throws {
        window.open()
        _ = terminal.written()
        terminal.type("\u{13}")
        try await Task.sleep(for: .milliseconds(100))
        window.close()
        #expect(terminal.isCooked && terminal.written().hasSuffix("\u{1B}[?1049l"))
    }
}
