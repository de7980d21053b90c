internal import SegmentedDLDatabase

/// Bars on a terminal: a live area that is redrawn in place, and permanent lines that scroll above it.
///
/// The cursor rests at the start of the line below the area. Even after SIGKILL, the prompt of the shell
/// comes on a line of its own, and no mode of the terminal has to be restored.
struct BarRenderer: ProgressRenderer {
    private let output: TextOutput
    private let size: @Sendable () -> Terminal.Size
    private let terminal: Terminal

    private var live: (overall: Overall, files: [FileSnapshot])?
    private var over: Set<Int> = []
    private var tick = 0
    /// The lines on the screen now.
    private var drawn: [StyledLine] = []
    /// The size of the window at that time.
    private var drawnSize = Terminal.Size(columns: 0, rows: 0)

    init(output: TextOutput, terminal: Terminal, size: @escaping @Sendable () -> Terminal.Size) {
        self.output = output
        self.terminal = terminal
        self.size = size
    }

    /// Makes a renderer for the terminal behind a descriptor.
    init(descriptor: Int32, terminal: Terminal = Terminal()) {
        self.init(output: TextOutput(descriptor: descriptor), terminal: terminal) {
            Terminal.size(of: descriptor)
        }
    }

    mutating func update(_ overall: Overall, _ files: [FileSnapshot]) {
        tick += 1
        // A file that is no longer listed cannot be shown again.
        over.formIntersection(files.map(\.id))
        live = (overall, files.filter { !over.contains($0.id) })
        draw(below: [])
    }

    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome) {
        over.insert(file.id)
        live?.files.removeAll { $0.id == file.id }
        let text = OutcomeText.line(file, outcome, ascii: !terminal.unicode)
        var line = mark(outcome)
        line.append(" " + text)
        draw(below: [line])
    }

    mutating func message(_ text: String) {
        draw(below: [StyledLine(TextWidth.printable(text, ascii: !terminal.unicode))])
    }

    mutating func end(_ overall: Overall) {
        live = nil
        draw(below: OutcomeText.summary(overall).map { [StyledLine($0, .bold)] } ?? [])
    }

    private func mark(_ outcome: FileOutcome) -> StyledLine {
        switch outcome {
        case .done, .verified: StyledLine(terminal.unicode ? "✓" : "done:", .green)
        case .failed: StyledLine(terminal.unicode ? "✗" : "failed:", .red)
        case .cancelled: StyledLine(terminal.unicode ? "■ stopped:" : "stopped:", .dim)
        }
    }

    /// Replaces the live area, with permanent lines above it, in one write, so that half a frame is never
    /// shown.
    private mutating func draw(below permanent: [StyledLine]) {
        let size = size()
        // One column stays free: a full last column makes some terminals wrap at once, others later.
        let layout = BarLayout(
            columns: max(1, size.columns - 1), rows: size.rows, unicode: terminal.unicode,
            color: terminal.color, tick: tick)
        let lines = live.map { layout.lines($0.overall, $0.files) } ?? []
        guard !permanent.isEmpty || lines != drawn || size != drawnSize else { return }

        let rows = rowsDrawn(in: size)
        // Erase everything first only if lines do not replace lines one for one, because otherwise it may
        // flicker.
        let isReplaced = permanent.isEmpty && size == drawnSize && lines.count >= drawn.count
        var text = "\r" + Escape.up(rows)
        if !isReplaced { text += Escape.clearRows(rows) }
        for line in permanent { text += line.rendered(color: terminal.color) + "\n" }
        if !lines.isEmpty {
            // A line with a character that is wider on this terminal than expected is cut instead of wrapped.
            text += Escape.wrapOff
            for line in lines { text += Escape.clearLine + line.rendered(color: terminal.color) + "\r\n" }
            text += Escape.wrapOn
        }
        output.write(text)
        drawn = lines
        drawnSize = size
    }

    /// Returns the number of rows that the area has now. Terminals wrap old lines again when the window
    /// becomes narrower; then there are more rows than written lines.
    private func rowsDrawn(in size: Terminal.Size) -> Int {
        let rows = drawn.reduce(0) { $0 + $1.rows(at: max(1, size.columns)) }
        return min(rows, max(0, size.rows - 1))
    }
}

/// The few control sequences in use; every terminal since the VT100 knows them.
private enum Escape {
    static let clearLine = "\u{1B}[2K"
    static let wrapOff = "\u{1B}[?7l"
    static let wrapOn = "\u{1B}[?7h"

    /// Erases row by row, and moves back. Never erase the whole screen at once, because otherwise some
    /// terminals, tmux among them, would add its content to their history.
    static func clearRows(_ rows: Int) -> String {
        String(repeating: clearLine + "\u{1B}[B", count: rows) + up(rows)
    }

    static func up(_ rows: Int) -> String {
        // Terminals take zero for one.
        rows > 0 ? "\u{1B}[\(rows)A" : ""
    }
}
