internal import SegmentedDLDatabase

/// Bars on a terminal: a live area that is redrawn in place, and permanent lines that scroll above it.
///
/// The cursor rests at the start of the line below the area. Whatever ends the process, and when, the
/// shell's prompt comes on a line of its own, and no mode of the terminal has to be put back.
struct BarRenderer: ProgressRenderer {
    private let output: TextOutput
    private let size: @Sendable () -> Terminal.Size
    private let terminal: Terminal

    private var live: (overall: Overall, files: [FileSnapshot])?
    private var over: Set<Int> = []
    private var tick = 0
    /// What is on the screen now, and the window in which it was drawn.
    private var drawn: [StyledLine] = []
    private var drawnSize = Terminal.Size(columns: 0, rows: 0)

    init(output: TextOutput, terminal: Terminal, size: @escaping @Sendable () -> Terminal.Size) {
        self.output = output
        self.terminal = terminal
        self.size = size
    }

    /// For the terminal behind a descriptor.
    init(descriptor: Int32, terminal: Terminal = Terminal()) {
        self.init(output: TextOutput(descriptor: descriptor), terminal: terminal) {
            Terminal.size(of: descriptor)
        }
    }

    mutating func update(_ overall: Overall, _ files: [FileSnapshot]) {
        tick += 1
        // Ids of files that are listed no more need not be remembered.
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

    /// Replaces the live area, with permanent lines above it, in one write: half a frame is never seen.
    private mutating func draw(below permanent: [StyledLine]) {
        let size = size()
        // One column stays free: a full last column makes some terminals wrap at once, others later.
        let layout = BarLayout(
            columns: max(1, size.columns - 1), rows: size.rows, unicode: terminal.unicode,
            color: terminal.color, tick: tick)
        let lines = live.map { layout.lines($0.overall, $0.files) } ?? []
        guard !permanent.isEmpty || lines != drawn || size != drawnSize else { return }

        let rows = rowsDrawn(in: size)
        // Wiping everything first can flicker: only if lines do not replace lines one for one.
        let isReplaced = permanent.isEmpty && size == drawnSize && lines.count >= drawn.count
        var text = "\r" + Escape.up(rows)
        if !isReplaced { text += Escape.clearRows(rows) }
        for line in permanent { text += line.rendered(color: terminal.color) + "\n" }
        if !lines.isEmpty {
            // Should a terminal find a character wider than we do, the line is cut instead of wrapped.
            text += Escape.wrapOff
            for line in lines { text += Escape.clearLine + line.rendered(color: terminal.color) + "\r\n" }
            text += Escape.wrapOn
        }
        output.write(text)
        drawn = lines
        drawnSize = size
    }

    /// The rows of the area now. Terminals wrap old lines anew when the window becomes narrower: then it takes
    /// more rows than lines were written.
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

    /// Row by row, and back. To erase the whole screen at once would make some terminals, tmux among them, put
    /// what was on it into their history.
    static func clearRows(_ rows: Int) -> String {
        String(repeating: clearLine + "\u{1B}[B", count: rows) + up(rows)
    }

    static func up(_ rows: Int) -> String {
        // Zero would be taken for one.
        rows > 0 ? "\u{1B}[\(rows)A" : ""
    }
}
