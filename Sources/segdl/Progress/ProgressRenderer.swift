/// A view of a run. It receives snapshots a few times a second, and once for each file that ends.
protocol ProgressRenderer: Sendable {
    /// Shows the current state. Files may appear, change their order and vanish between two calls.
    mutating func update(_ overall: Overall, _ files: [FileSnapshot])
    /// Shows an ended file. It is never shown as active again, even if a later update still lists it.
    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome)
    /// Shows a message that does not belong to a file.
    mutating func message(_ text: String)
    /// Shows the end of the run: no further calls follow.
    mutating func end(_ overall: Overall)
}

/// A renderer that shows failures only.
struct QuietRenderer: ProgressRenderer {
    private let output: TextOutput
    private let ascii: Bool

    init(output: TextOutput, ascii: Bool) {
        self.output = output
        self.ascii = ascii
    }

    mutating func update(_ overall: Overall, _ files: [FileSnapshot]) {}

    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome) {
        guard case .failed = outcome else { return }
        output.write("failed: " + OutcomeText.line(file, outcome, ascii: ascii) + "\n")
    }

    mutating func message(_ text: String) {}

    mutating func end(_ overall: Overall) {}
}

/// A renderer that also writes the end of each file to a log.
struct LoggedRenderer: ProgressRenderer {
    private var shown: any ProgressRenderer
    private let log: LogFile

    static func make(_ renderer: any ProgressRenderer, _ log: LogFile?) -> any ProgressRenderer {
        log.map { LoggedRenderer(shown: renderer, log: $0) } ?? renderer
    }

    mutating func update(_ overall: Overall, _ files: [FileSnapshot]) { shown.update(overall, files) }

    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome) {
        log.write(OutcomeText.labelled(file, outcome, ascii: false))
        shown.finished(file, outcome: outcome)
    }

    mutating func message(_ text: String) { shown.message(text) }

    mutating func end(_ overall: Overall) { shown.end(overall) }
}
