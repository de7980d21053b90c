/// The progress that a terminal shows in its tab or the desktop shows in the task bar: OSC 9;4, introduced by
/// ConEmu. A plain value.
enum TerminalProgress: Sendable, Hashable {
    case hidden
    /// Work of unknown length.
    case unknown
    /// A percentage from 0 to 100, in red if a file failed.
    case percent(Int, hasFailed: Bool)

    /// Creates the progress of a run, measured in bytes, or in files while lengths are unknown.
    init(_ overall: Overall) {
        let ended = overall.completed + overall.failed + overall.cancelled
        let byFiles =
            overall.files > 1 && !overall.isListing ? Double(ended) / Double(overall.files) : nil
        guard let fraction = overall.fraction ?? byFiles, fraction.isFinite else {
            self = .unknown
            return
        }
        self = .percent(Int(min(max(fraction, 0), 1) * 100), hasFailed: overall.failed > 0)
    }

    /// The control sequence that shows it.
    var sequence: String {
        switch self {
        case .hidden: Self.sequence(0, 0)
        case .percent(let percent, hasFailed: false): Self.sequence(1, percent)
        case .percent(let percent, hasFailed: true): Self.sequence(2, percent)
        case .unknown: Self.sequence(3, 0)
        }
    }

    private static func sequence(_ state: Int, _ percent: Int) -> String {
        "\u{1B}]9;4;\(state);\(percent)\u{1B}\\"
    }

    // MARK: Terminals

    /// Returns true for the environment of a terminal that supports it. Nothing is sent to unknown terminals,
    /// because some older ones interpret OSC 9 as a notification.
    static func isSupported(environment: (String) -> String? = ProcessEnvironment.variable) -> Bool {
        func value(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        func isAtLeast(_ name: String, _ version: Int) -> Bool {
            value(name).flatMap { Int($0) }.map { $0 >= version } ?? false
        }
        // tmux and screen inherit the variables of the outer terminal, but may not forward the sequence to
        // it.
        let kind = value("TERM") ?? ""
        let isInside = ["screen", "tmux"].contains { kind.hasPrefix($0) }
        guard value("TMUX") == nil, value("STY") == nil, !isInside else { return false }
        switch value("TERM_PROGRAM") {
        case "ghostty", "WezTerm": return true
        case "iTerm.app": return isVersion(value("TERM_PROGRAM_VERSION") ?? "", atLeast: [3, 6, 6])
        default: break
        }
        // If kitty was started from another terminal, it has inherited that terminal's variables.
        if value("KITTY_WINDOW_ID") != nil { return false }
        return value("WT_SESSION") != nil || value("ConEmuANSI") == "ON"
            || isAtLeast("KONSOLE_VERSION", 260_400)
    }

    /// Compares a version such as `3.6.6beta2` by its leading numbers.
    private static func isVersion(_ text: String, atLeast least: [Int]) -> Bool {
        let numbers = text.split(separator: ".").map { part in
            Int(part.prefix { ("0"..."9").contains($0) }) ?? 0
        }
        return !numbers.lexicographicallyPrecedes(least)
    }
}
