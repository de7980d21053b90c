import SegmentedDLSupport

/// A renderer that also sends the run's progress to the terminal, and clears it at the end.
struct TerminalProgressRenderer: ProgressRenderer {
    /// The number of updates after which the same progress is sent again: some terminals hide it after a
    /// while.
    private static let repetition = 25
    /// The terminal that currently shows progress.
    private static let shownOn = Lock<Int32?>(nil)

    private var renderer: any ProgressRenderer
    private let descriptor: Int32
    private let output: TextOutput
    private var shown = TerminalProgress.hidden
    private var age = 0

    /// - Parameter descriptor: A terminal.
    init(_ renderer: any ProgressRenderer, descriptor: Int32) {
        self.renderer = renderer
        self.descriptor = descriptor
        output = TextOutput(descriptor: descriptor)
    }

    mutating func update(_ overall: Overall, _ files: [FileSnapshot]) {
        renderer.update(overall, files)
        show(TerminalProgress(overall))
    }

    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome) {
        renderer.finished(file, outcome: outcome)
    }

    mutating func message(_ text: String) {
        renderer.message(text)
    }

    mutating func end(_ overall: Overall) {
        show(.hidden)
        renderer.end(overall)
    }

    private mutating func show(_ progress: TerminalProgress) {
        age += 1
        guard progress != shown || progress != .hidden && age >= Self.repetition else { return }
        output.write(progress.sequence)
        Self.shownOn.withLock { $0 = progress == .hidden ? nil : descriptor }
        shown = progress
        age = 0
    }

    /// Clears the progress in a process that exits before the end of its run. On a terminal stopped with
    /// Ctrl-S it remains, because waiting would block the process.
    static func clearBeforeExit() {
        guard let descriptor = shownOn.withLock({ $0 }) else { return }
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, 0) > 0 else { return }
        TextOutput(descriptor: descriptor).write(TerminalProgress.hidden.sequence)
    }
}
