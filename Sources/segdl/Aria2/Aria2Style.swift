import SegmentedDLOptions

/// The parts of aria2's console that its options ask for.
struct Aria2Style: Sendable, Equatable {
    enum Results: String, Sendable {
        case usual = "default"
        case full, hide
    }

    /// Nothing is written.
    var isQuiet = false
    /// Messages below this level are left out.
    var level = Aria2Level.notice
    /// The same of the log file.
    var logLevel = Aria2Level.debug
    var isColored = true
    var hasReadout = true
    /// Seconds between two summaries; 0 for none.
    var summaryInterval = 60
    var results = Results.usual
    var isHuman = true
    /// The width of the terminal that the readout is drawn on; `nil` if it is not a terminal, or must not be
    /// cut.
    var columns: Int?
    /// True if the readout is drawn over the one before.
    var isRedrawn = false

    init() {}

    /// - Parameter descriptor: That of the console.
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
