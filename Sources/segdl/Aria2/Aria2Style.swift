import SegmentedDLOptions

/// The parts of aria2's console that its options enable.
struct Aria2Style: Sendable, Equatable {
    enum Results: String, Sendable {
        case usual = "default"
        case full, hide
    }

    /// Nothing is written.
    var isQuiet = false
    /// Messages below this level are omitted.
    var level = Aria2Level.notice
    /// The same for the log file.
    var logLevel = Aria2Level.debug
    var isColored = true
    var hasReadout = true
    /// Seconds between two summaries; 0 for none.
    var summaryInterval = 60
    var results = Results.usual
    var isHuman = true
    /// The width of the terminal that shows the readout; `nil` if it is not a terminal, or the readout must
    /// not be truncated.
    var columns: Int?
    /// True if the readout overwrites the previous one.
    var isRedrawn = false

    init() {}

    /// - Parameter descriptor: The console's.
    init(_ values: Aria2Values, descriptor: Int32) {
        isQuiet = values.flag("quiet")
        level = values.text("console-log-level").flatMap { Aria2Level(rawValue: $0) } ?? level
        logLevel = values.text("log-level").flatMap { Aria2Level(rawValue: $0) } ?? logLevel
        isColored = values.flag("enable-color")
        hasReadout = values.flag("show-console-readout")
        summaryInterval = values.number("summary-interval")
        results = values.text("download-result").flatMap { Results(rawValue: $0) } ?? results
        isHuman = values.flag("human-readable")
        isRedrawn = Terminal.isTerminal(descriptor)
        if isRedrawn, values.flag("truncate-console-readout") {
            columns = Terminal.size(of: descriptor).columns
        }
    }
}
