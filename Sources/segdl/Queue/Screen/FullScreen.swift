import Dispatch
internal import SegmentedDLDatabase
internal import SegmentedDLQueue
import SegmentedDLSupport

/// A terminal's whole window, and its keys: from `open` to `close` the terminal is set up for that.
///
/// It is put back on `close`, and for as long as the process is stopped with Ctrl-Z. After SIGKILL it stays as it is, which
/// no process can prevent; `tput rmcup; reset` puts it right.
final class FullScreen: Sendable {
    private enum Escape {
        /// The alternate screen, no cursor, and pasted text in brackets, so that it is not taken for keys.
        static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?2004h"
        static let end = "\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"
        static let clear = "\u{1B}[2J"
        static let clearLine = "\u{1B}[2K"
        static let wrapOff = "\u{1B}[?7l"
        static let wrapOn = "\u{1B}[?7h"

        static func row(_ row: Int) -> String { "\u{1B}[\(row + 1);1H" }
    }

    private struct State {
        var isOpen = false
        /// The modes to put back; `nil` while the terminal is not set up.
        var modes: termios?
        var drawn: [StyledLine] = []
        var drawnSize: Terminal.Size?
        var sources: [any DispatchSourceSignal] = []
    }

    private let input: Int32
    private let output: Int32
    private let color: Bool
    private let writer: TextOutput
    private let keyboard: Keyboard
    private let state = Lock(State())

    /// Whether there is a window and a keyboard.
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

    /// What is typed; for one reader. It ends with `close`.
    var keys: AsyncStream<Key> { keyboard.keys }

    var size: Terminal.Size { Terminal.size(of: output) }

    func open() {
        state.withLock { state in
            guard !state.isOpen else { return }
            state.isOpen = true
            // Stopped by SIGSTOP it had no chance to put the terminal back; the shell has done so then.
            state.sources = [Self.source(SIGCONT) { [weak self] in self?.invalidate() }]
            // A shell without job control has Ctrl-Z ignored: nobody would let the process go on.
            if !Self.isIgnored(SIGTSTP) {
                state.sources.append(Self.source(SIGTSTP) { [weak self] in self?.stop() })
            }
            setUp(&state)
        }
        keyboard.start()
    }

    /// Puts the terminal back. It may be called again.
    func close() {
        keyboard.stop()
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            for source in state.sources { source.cancel() }
            state.sources = []
            if !Self.isIgnored(SIGTSTP) { signal(SIGTSTP, SIG_DFL) }
            putBack(&state)
        }
    }

    /// What is on the screen is not what was drawn: the next frame is drawn whole.
    func invalidate() {
        state.withLock { $0.drawnSize = nil }
    }

    /// Draws a frame in one write, unless it is there already. A terminal that takes nothing now gets a later frame.
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
            // Should a terminal find a character wider than we do, the line is cut instead of wrapped.
            if !text.isEmpty { writer.write(Escape.wrapOff + text + Escape.wrapOn) }
        }
    }

    // MARK: The terminal

    /// Whether the terminal listens to this process, and not to the shell or to another of its jobs.
    private var isOurs: Bool { Self.isForeground(input) }

    static func isForeground(_ descriptor: Int32) -> Bool {
        let group = tcgetpgrp(descriptor)
        // Without job control there is nobody to share it with.
        return group < 0 || group == getpgrp()
    }

    /// Whether it is not stopped with Ctrl-S, and takes more.
    private var isWritable: Bool {
        var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        return poll(&ready, 1, 0) > 0
    }

    private func setUp(_ state: inout State) {
        // In the background this would stop the process.
        guard isOurs else { return }
        var modes = termios()
        guard tcgetattr(input, &modes) == 0 else { return }
        if state.modes == nil { state.modes = modes }
        // Ctrl-C and Ctrl-Z stay signals.
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &modes.c_cc) {
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
        // A terminal stopped with Ctrl-S would not take what follows. Only who has stopped it can start it again.
        tcflow(output, TCOOFF)
        tcflow(output, TCOON)
        tcsetattr(input, TCSANOW, &modes)
        writer.write(Escape.end)
    }

    // MARK: Stopping

    private static func isIgnored(_ number: Int32) -> Bool {
        let handler = signal(number, SIG_IGN)
        signal(number, handler)
        // Handlers cannot be compared, their bits can.
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func source(
        _ number: Int32, _ body: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: body)
        source.resume()
        return source
    }

    /// Ctrl-Z: puts the terminal back and stops as one without a handler would. The lock is held meanwhile, so that
    /// nobody draws before it goes on.
    private func stop() {
        state.withLock { state in
            putBack(&state)
            var before = sigaction()
            sigaction(SIGTSTP, nil, &before)
            signal(SIGTSTP, SIG_DFL)
            var only = sigset_t()
            var mask = sigset_t()
            sigemptyset(&only)
            sigaddset(&only, SIGTSTP)
            pthread_sigmask(SIG_UNBLOCK, &only, &mask)
            // To this thread: others block the signal, and the source would take it before them.
            pthread_kill(pthread_self(), SIGTSTP)
            pthread_sigmask(SIG_SETMASK, &mask, nil)
            sigaction(SIGTSTP, &before, nil)
        }
    }
}
