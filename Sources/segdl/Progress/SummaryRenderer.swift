internal import SegmentedDLSupport

/// A run of many files in one line, which is overwritten on a terminal and otherwise repeated at intervals.
/// Only failed files have their own lines.
struct SummaryRenderer: ProgressRenderer {
    /// The interval between two lines in a log.
    private static let pause = Duration.seconds(10)
    /// The number of seconds without a byte or the end of a file after which the time remaining is unknown: a
    /// busy host may have requested a delay.
    private static let stallSeconds = 15.0

    private var renderer: any ProgressRenderer
    private let isRedrawn: Bool
    private let clock: @Sendable () -> Duration
    private var time = AttendedTime()
    private var lastLine: Duration
    /// The ended files and the bytes so far, and the time at which they last changed.
    private var advance = (files: 0, bytes: Int64(0), at: 0.0)
    private var files = FileLines(.failures)

    /// - Parameters:
    ///   - renderer: Shows the lines.
    ///   - isRedrawn: True if it overwrites its output.
    ///   - clock: Returns the time since a fixed moment.
    init(
        _ renderer: any ProgressRenderer, isRedrawn: Bool,
        clock: @escaping @Sendable () -> Duration = PlainRenderer.sinceNow()
    ) {
        self.renderer = renderer
        self.isRedrawn = isRedrawn
        self.clock = clock
        lastLine = clock()
        time.look(at: ByteFormat.seconds(lastLine))
    }

    mutating func update(_ overall: Overall, _ files: [FileSnapshot]) {
        let now = clock()
        time.look(at: ByteFormat.seconds(now))
        var overall = overall
        overall.secondsByFiles = isStalled(overall) ? nil : overall.secondsByFiles ?? secondsLeft(overall)
        guard !isRedrawn else { return renderer.update(overall, overall.files > 1 ? [] : files) }
        guard now - lastLine >= Self.pause, Self.isUnderWay(overall) else { return }
        lastLine = now
        renderer.message(Self.words(overall))
    }

    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome) {
        if files.shows(outcome) { renderer.finished(file, outcome: outcome) }
    }

    mutating func message(_ text: String) {
        renderer.message(text)
    }

    mutating func end(_ overall: Overall) {
        if let stopped = files.stopped { renderer.message(stopped) }
        renderer.end(overall)
        // Several files always have a summary.
        if overall.files == 1, overall.completed == 1 {
            renderer.message("1 file completed, \(ByteFormat.size(overall.bytesCompleted))")
        }
    }

    /// Returns true if nothing has arrived for a while.
    private mutating func isStalled(_ overall: Overall) -> Bool {
        let ended = overall.completed + overall.failed + overall.cancelled
        if ended != advance.files || overall.bytesCompleted != advance.bytes {
            advance = (ended, overall.bytesCompleted, time.seconds)
        }
        return time.seconds - advance.at >= Self.stallSeconds
    }

    /// Returns the time remaining as predicted from the number of files so far, because the lengths of the
    /// waiting ones are unknown.
    private func secondsLeft(_ overall: Overall) -> Double? {
        let ended = overall.completed + overall.failed + overall.cancelled
        guard ended > 0, !overall.isListing else { return nil }
        return time.seconds / Double(ended) * Double(overall.waiting + overall.active)
    }

    /// True while files remain. Before and after that, other lines report the progress.
    private static func isUnderWay(_ overall: Overall) -> Bool {
        overall.active + overall.waiting > 0 || overall.isListing && overall.files > 0
    }

    private static func words(_ overall: Overall) -> String {
        let all = "\(overall.files)\(overall.isListing ? "+" : "") " + Plural.form(of: "file", overall.files)
        let files = "\(overall.completed) of \(all)"
        var parts = [
            files, ByteFormat.size(overall.bytesCompleted), ByteFormat.speed(overall.bytesPerSecond),
        ]
        if overall.failed > 0 { parts.insert("\(overall.failed) failed", at: 1) }
        if let seconds = overall.secondsRemaining { parts.append("\(ByteFormat.duration(seconds)) left") }
        return parts.joined(separator: ", ")
    }
}
