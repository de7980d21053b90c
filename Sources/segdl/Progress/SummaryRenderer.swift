/// A run of many files in one line: on a terminal it is written over, elsewhere it comes again now and then.
/// Only files that failed or were stopped have lines of their own.
struct SummaryRenderer: ProgressRenderer {
    /// The time between two lines in a log.
    private static let pause = Duration.seconds(10)

    private var renderer: any ProgressRenderer
    private let isRedrawn: Bool
    private let clock: @Sendable () -> Duration
    private var lastLine: Duration

    /// - Parameters:
    ///   - renderer: Shows the lines.
    ///   - isRedrawn: True if it writes over what it has shown.
    ///   - clock: Returns the time since a fixed moment.
    init(
        _ renderer: any ProgressRenderer, isRedrawn: Bool,
        clock: @escaping @Sendable () -> Duration = PlainRenderer.sinceNow()
    ) {
        self.renderer = renderer
        self.isRedrawn = isRedrawn
        self.clock = clock
        lastLine = clock()
    }

    mutating func update(_ overall: Overall, _ files: [FileSnapshot]) {
        guard !isRedrawn else { return renderer.update(overall, overall.files > 1 ? [] : files) }
        let now = clock()
        guard now - lastLine >= Self.pause else { return }
        lastLine = now
        renderer.message(Self.words(overall))
    }

    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome) {
        if outcome.exitStatus != 0 { renderer.finished(file, outcome: outcome) }
    }

    mutating func message(_ text: String) {
        renderer.message(text)
    }

    mutating func end(_ overall: Overall) {
        renderer.end(overall)
        // Several files have a summary in any case.
        if overall.files == 1, overall.completed == 1 {
            renderer.message("1 file completed, \(ByteFormat.size(overall.bytesCompleted))")
        }
    }

    private static func words(_ overall: Overall) -> String {
        let files = "\(overall.completed) of \(overall.files)\(overall.isListing ? "+" : "") files"
        var parts = [
            files, ByteFormat.size(overall.bytesCompleted), ByteFormat.speed(overall.bytesPerSecond),
        ]
        if overall.failed > 0 { parts.insert("\(overall.failed) failed", at: 1) }
        if let seconds = overall.secondsRemaining { parts.append("\(ByteFormat.duration(seconds)) left") }
        return parts.joined(separator: ", ")
    }
}
