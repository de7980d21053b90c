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
