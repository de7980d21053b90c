internal import SegmentedDLDatabase
import SegmentedDLSupport

/// The lines at the end of a terminal that are redrawn in place, below permanent ones that scroll.
///
/// The cursor stays at the start of the line below the area. Even after SIGKILL, the shell's prompt is on its
/// own line, and no terminal mode has to be restored.
final class LiveArea: Sendable {
    private struct State {
        /// The lines currently on the screen.
        var drawn: [StyledLine] = []
        /// The size of the window when they were drawn.
        var size = Terminal.Size(columns: 0, rows: 0)
    }

    private let output: TextOutput
    private let color: Bool
    private let windowSize: @Sendable () -> Terminal.Size
    private let state = Lock(State())

    init(output: TextOutput, color: Bool, size: @escaping @Sendable () -> Terminal.Size) {
        self.output = output
        self.color = color
        windowSize = size
    }

    /// The current size of the window.
    var size: Terminal.Size { windowSize() }

    /// Replaces the area, with permanent lines above it, in one write, so that partial frames are never
    /// shown.
    ///
    /// - Parameter size: The size of the window that `lines` were made for.
    func draw(_ lines: [StyledLine], below permanent: [StyledLine], size: Terminal.Size) {
        state.withLock { state in
            let isSame = lines == state.drawn && size == state.size
            guard !permanent.isEmpty || !isSame else { return }
            let rows = Self.rows(of: state.drawn, in: size)
            // Erase everything first only if the new lines cannot replace the old ones one by one, because
            // erasing may flicker.
            let isReplaced = permanent.isEmpty && size == state.size && lines.count >= state.drawn.count
            var text = "\r" + Escape.up(rows)
            if !isReplaced { text += Escape.clearRows(rows) }
            for line in permanent { text += line.rendered(color: color) + "\n" }
            if !lines.isEmpty {
                // A line with a character that is unexpectedly wide on this terminal is truncated instead of
                // wrapped.
                text += Escape.wrapOff
                for line in lines { text += Escape.clearLine + line.rendered(color: color) + "\r\n" }
                text += Escape.wrapOn
            }
            output.write(text)
            state.drawn = lines
            state.size = size
        }
    }

    /// Erases the area and runs `body` without drawing. The next frame is drawn at the cursor's new position.
    func withoutArea(_ body: () -> Void) {
        state.withLock { state in
            let rows = Self.rows(of: state.drawn, in: windowSize())
            // The terminal echoes typed keys on the line below the area.
            output.write("\r" + Escape.clearLine + Escape.up(rows) + Escape.clearRows(rows))
            state = State()
            body()
        }
    }

    /// Returns the current number of rows of these lines. When the window becomes narrower, a terminal
    /// rewraps old lines, which then occupy more rows.
    private static func rows(of lines: [StyledLine], in size: Terminal.Size) -> Int {
        let rows = lines.reduce(0) { $0 + $1.rows(at: max(1, size.columns)) }
        return min(rows, max(0, size.rows - 1))
    }
}

/// The few control sequences that are used, which every terminal since the VT100 supports.
enum Escape {
    static let clearLine = "\u{1B}[2K"
    static let wrapOff = "\u{1B}[?7l"
    static let wrapOn = "\u{1B}[?7h"

    /// Erases row by row and moves back. Never erase the whole screen at once, because some terminals,
    /// including tmux, would add its content to their history.
    static func clearRows(_ rows: Int) -> String {
        String(repeating: clearLine + "\u{1B}[B", count: rows) + up(rows)
    }

    static func up(_ rows: Int) -> String {
        // Terminals treat zero as one.
        rows > 0 ? "\u{1B}[\(rows)A" : ""
    }
}
