import SegmentedDL
import TestSupport
import Testing

@testable import segdl

@Suite("The progress in the terminal's tab", .serialized)
struct TerminalProgressTests {
    // MARK: Values

    @Test("counts bytes, or files while lengths are unknown")
    func values() {
        #expect(TerminalProgress(Overall([halfway()])) == .percent(45, hasFailed: false))
        let list = Overall([], unlisted: FileTally(waiting: 6, completed: 1, failed: 1))
        #expect(TerminalProgress(list) == .percent(25, hasFailed: true))
        #expect(TerminalProgress(Overall([], unlisted: FileTally(waiting: 1))) == .unknown)
        var listing = list
        listing.isListing = true
        #expect(TerminalProgress(listing) == .unknown)
    }

    @Test(
        "is written as ConEmu defines it",
        arguments: [
            (TerminalProgress.hidden, "0;0"), (TerminalProgress.percent(45, hasFailed: false), "1;45"),
            (TerminalProgress.percent(45, hasFailed: true), "2;45"), (TerminalProgress.unknown, "3;0"),
        ])
    func sequences(progress: TerminalProgress, text: String) {
        #expect(progress.sequence == "\u{1B}]9;4;\(text)\u{1B}\\")
    }

    // MARK: Terminals

    private func isSupported(_ environment: [String: String]) -> Bool {
        TerminalProgress.isSupported { environment[$0] }
    }

    @Test(
        "terminals that have it",
        arguments: [
            ["WT_SESSION": "0f1c"], ["ConEmuANSI": "ON"], ["TERM_PROGRAM": "ghostty"],
            ["TERM_PROGRAM": "WezTerm"], ["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.6"],
            ["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.10.0beta1"],
            ["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "4"], ["KONSOLE_VERSION": "260400"],
            ["WT_SESSION": "0f1c", "TMUX": "", "TERM": "xterm-256color"],
        ])
    func supported(environment: [String: String]) {
        #expect(isSupported(environment))
    }

    @Test(
        "all others, and those inside tmux or screen",
        arguments: [
            [:] as [String: String], ["TERM": "xterm-256color"],
            ["TERM_PROGRAM": "Apple_Terminal"], ["TERM_PROGRAM": "vscode"],
            ["TERM_PROGRAM": "iTerm.app"], ["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.5"],
            ["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5"], ["KONSOLE_VERSION": "251203"],
            ["KONSOLE_VERSION": "new"], ["WT_SESSION": ""], ["ConEmuANSI": "OFF"],
            ["WT_SESSION": "0f1c", "TMUX": "/tmp/tmux-0/default,1,0"],
            ["WT_SESSION": "0f1c", "TERM": "tmux-256color"], ["WT_SESSION": "0f1c", "TERM": "screen"],
            ["ConEmuANSI": "ON", "STY": "1.pts-0.host"],
            ["KONSOLE_VERSION": "260400", "KITTY_WINDOW_ID": "1"],
        ])
    func notSupported(environment: [String: String]) {
        #expect(!isSupported(environment))
    }

    // MARK: The renderer

    private func renderer(_ terminal: PseudoTerminal) -> TerminalProgressRenderer {
        TerminalProgressRenderer(
            QuietRenderer(output: Recorder().output, ascii: true), descriptor: terminal.inside)
    }

    @Test("is sent when it changes, repeated after a while, and cleared at the end")
    func rendering() throws {
        let terminal = try PseudoTerminal()
        var bars = renderer(terminal)
        for _ in 0..<25 { bars.update(Overall([halfway()]), [halfway()]) }
        let shown = TerminalProgress.percent(45, hasFailed: false).sequence
        #expect(terminal.written() == shown)
        bars.update(Overall([halfway()]), [halfway()])
        #expect(terminal.written() == shown)
        bars.end(Overall())
        #expect(terminal.written() == TerminalProgress.hidden.sequence)
        TerminalProgressRenderer.clearBeforeExit()
        #expect(terminal.written().isEmpty)
    }

    @Test("is cleared by a process that exits at once")
    func processThatExits() throws {
        let terminal = try PseudoTerminal()
        var bars = renderer(terminal)
        bars.update(Overall([halfway()]), [halfway()])
        _ = terminal.written()
        TerminalProgressRenderer.clearBeforeExit()
        #expect(terminal.written() == TerminalProgress.hidden.sequence)
        bars.end(Overall())
    }
}
