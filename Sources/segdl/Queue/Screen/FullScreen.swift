import Dispatch
internal import SegmentedDLDatabase
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SegmentedDLSupport

/// The whole window of a terminal, and its keys. Between `open` and `close`, the terminal is in the required
/// modes.
///
/// `close` restores the terminal, and so does Ctrl-Z while the process is stopped. After SIGKILL the modes
/// remain, which a process cannot prevent; `tput rmcup; reset` restores the terminal in that case.
final class FullScreen: Sendable {
    private struct State {
        var isOpen = false
        /// The modes to restore; `nil` while they are in effect.
        var modes: termios?
        var drawn: [StyledLine] = []
        var drawnSize: Terminal.Size?
        var continues: (any DispatchSourceSignal)?
        var stops: StopSignal?
    }

    private let input: Int32
    private let output: Int32
    private let color: Bool
    private let writer: TextOutput
    private let keyboard: Keyboard
    private let state = Lock(State())

    /// Returns true if there is a window and a keyboard.
    static func isPossible(input: Int32 = 0, output: Int32 = 2, terminal: Terminal) -> Bool {
        Terminal.isTerminal(input) && Terminal.isTerminal(output) && terminal.canRedraw
    }

    init(input: Int32 = 0, output: Int32 = 2, color: Bool) {
        self.input = input
        self.output = output
        self.color = color
        writer = TextOutput(descriptor: output)
        keyboard = Keyboard(descriptor: input)
    }

    /// The typed keys, for one reader. `close` ends the stream.
    var keys: AsyncStream<Key> { keyboard.keys }

    var size: Terminal.Size { Terminal.size(of: output) }

    func open() {
        state.withLock { state in
            guard !state.isOpen else { return }
            state.isOpen = true
            // After SIGSTOP, which a process cannot handle, the shell has restored the terminal.
            state.continues = StopSignal.source(SIGCONT) { [weak self] in self?.invalidate() }
            state.stops = StopSignal { [weak self] stop in self?.putBack(during: stop) }
            setUp(&state)
        }
        keyboard.start()
    }

    /// Restores the terminal. May be called repeatedly.
    func close() {
        keyboard.stop()
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            state.continues?.cancel()
            state.continues = nil
            state.stops?.end()
            state.stops = nil
            putBack(&state)
        }
    }

    /// Forces a full redraw of the next frame, because the screen no longer shows the previous one.
    func invalidate() {
        state.withLock { $0.drawnSize = nil }
    }

    /// Draws a frame in one write, unless it is already shown. If the terminal accepts no output now, a later
    /// frame is drawn instead.
    func draw(_ lines: [StyledLine], size: Terminal.Size) {
        state.withLock { state in
            guard state.isOpen, isOurs, isWritable else { return }
            // Also after Ctrl-Z, once the shell has given the terminal back.
            if state.modes == nil || state.drawnSize == nil { setUp(&state) }
            var text = ""
            if state.drawnSize != size {
                text = Escape.clear
                state.drawn = []
            }
            for row in 0..<min(max(lines.count, state.drawn.count), size.rows) {
                let line = row < lines.count ? lines[row] : StyledLine()
                let before = row < state.drawn.count ? state.drawn[row] : StyledLine()
                guard line != before else { continue }
                text += Escape.row(row) + Escape.clearLine + line.rendered(color: color)
            }
            state.drawn = lines
            state.drawnSize = size
            // A line with a character that is unexpectedly wide on this terminal is truncated instead of
            // wrapped.
            if !text.isEmpty { writer.write(Escape.wrapOff + text + Escape.wrapOn) }
        }
    }

    // MARK: The terminal

    /// True if this process controls the terminal, rather than the shell or another job.
    private var isOurs: Bool { Self.isForeground(input) }

    static func isForeground(_ descriptor: Int32) -> Bool {
        let group = tcgetpgrp(descriptor)
        // Without job control no other process shares the terminal.
        return group < 0 || group == getpgrp()
    }

    /// True if the terminal accepts output, that is, if it is not stopped with Ctrl-S.
    private var isWritable: Bool {
        var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        return poll(&ready, 1, 0) > 0
    }

    private func setUp(_ state: inout State) {
        // In the background, this would stop the process.
        guard isOurs else { return }
        var modes = termios()
        guard tcgetattr(input, &modes) == 0 else { return }
        if state.modes == nil { state.modes = modes }
        // Ctrl-C and Ctrl-Z remain signals. Ctrl-\ does not, because it would leave the terminal in these
        // modes.
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &modes.c_cc) {
            $0[Int(VQUIT)] = UInt8(truncatingIfNeeded: fpathconf(input, Int32(_PC_VDISABLE)))
            $0[Int(VMIN)] = 1
            $0[Int(VTIME)] = 0
        }
        tcsetattr(input, TCSANOW, &modes)
        writer.write(Escape.begin)
        state.drawnSize = nil
    }

    private func putBack(_ state: inout State) {
        guard var modes = state.modes else { return }
        state.modes = nil
        guard isOurs else { return }
        // A terminal stopped with Ctrl-S would not accept the following output. Only the process that stopped
        // it can restart it, so stop it first.
        tcflow(output, TCOOFF)
        tcflow(output, TCOON)
        tcsetattr(input, TCSANOW, &modes)
        writer.write(Escape.end)
    }

    // MARK: Stopping

    /// Restores the terminal after Ctrl-Z, and stops the process. The lock is held throughout, because
    /// otherwise another thread could draw before the process resumes.
    private func putBack(during stop: () -> Void) {
        state.withLock { state in
            putBack(&state)
            stop()
        }
    }
}

extension Escape {
    /// Selects the alternate screen, hides the cursor, and enables bracketed paste, because pasted text would
    /// otherwise be interpreted as keys.
    fileprivate static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?2004h"
    fileprivate static let end = "\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"
    fileprivate static let clear = "\u{1B}[2J"

    fileprivate static func row(_ row: Int) -> String { "\u{1B}[\(row + 1);1H" }
}
