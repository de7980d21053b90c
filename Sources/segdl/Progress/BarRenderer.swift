internal import SegmentedDLDatabase

/// Bars on a terminal: a live area that is redrawn in place, and permanent lines that scroll above it.
struct BarRenderer: ProgressRenderer {
    private let area: LiveArea
    private let terminal: Terminal
    private let stops: StopSignal?

    private var lines: FileLines
    private var live: (overall: Overall, files: [FileSnapshot])?
    private var over: Set<Int> = []
    private var tick = 0

    init(
        output: TextOutput, terminal: Terminal, lines: FileLines = FileLines(.failuresOfLongLists),
        size: @escaping @Sendable () -> Terminal.Size
    ) {
        area = LiveArea(output: output, color: terminal.color, size: size)
        self.terminal = terminal
        self.lines = lines
        stops = nil
    }

    /// Creates a renderer for the terminal of a descriptor. While Ctrl-Z has stopped the process, no bars are
    /// shown.
    init(descriptor: Int32, terminal: Terminal = Terminal(), lines: FileLines) {
        let area = LiveArea(output: TextOutput(descriptor: descriptor), color: terminal.color) {
            Terminal.size(of: descriptor)
        }
        self.area = area
        self.terminal = terminal
        self.lines = lines
        stops = Terminal.isTerminal(descriptor) ? StopSignal { stop in area.withoutArea(stop) } : nil
    }

    mutating func update(_ overall: Overall, _ files: [FileSnapshot]) {
        tick += 1
        lines.note(files: overall.files)
        // A file that is no longer listed cannot reappear.
        over.formIntersection(files.map(\.id))
        live = (overall, files.filter { !over.contains($0.id) })
        draw(below: [])
    }

    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome) {
        over.insert(file.id)
        live?.files.removeAll { $0.id == file.id }
        guard lines.shows(outcome, isBegun: file.hasBytes) else { return }
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
        let last = [lines.stopped, OutcomeText.summary(overall)].compactMap { $0 }
        draw(below: last.map { StyledLine($0, .bold) })
        stops?.end()
    }

    private func mark(_ outcome: FileOutcome) -> StyledLine {
        switch outcome {
        case .done, .verified: StyledLine(terminal.unicode ? "✓" : "done:", .green)
        case .failed: StyledLine(terminal.unicode ? "✗" : "failed:", .red)
        case .cancelled: StyledLine(terminal.unicode ? "■ stopped:" : "stopped:", .dim)
        }
    }

    private func draw(below permanent: [StyledLine]) {
        let size = area.size
        // One column remains free: if the last column is used, some terminals wrap immediately, others later.
        let layout = BarLayout(
            columns: max(1, size.columns - 1), rows: size.rows, unicode: terminal.unicode,
            color: terminal.color, tick: tick)
        area.draw(
            live.map { layout.lines($0.overall, $0.files) } ?? [], below: permanent, size: size)
    }
}
