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
