internal import SegmentedDLDatabase

/// The capabilities of the terminal.
struct Terminal: Sendable, Hashable {
    struct Size: Sendable, Hashable {
        var columns: Int
        var rows: Int
    }

    /// True if the terminal shows characters outside ASCII.
    var unicode: Bool
    /// True if the user has enabled colours.
    var color: Bool
    /// True if the cursor can be moved; otherwise only plain lines are suitable.
    var canRedraw: Bool

    /// Reads the environment, as defined by POSIX and no-color.org.
    init(environment: (String) -> String? = ProcessEnvironment.variable) {
        func value(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        let locale = value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? ""
        let charset = locale.lowercased()
        unicode = charset.contains("utf-8") || charset.contains("utf8")
        let kind = value("TERM")
        canRedraw = kind != nil && kind != "dumb"
        color = canRedraw && value("NO_COLOR") == nil
    }

    /// Returns the current size of the window; if the terminal does not report it, COLUMNS and LINES, or
    /// 80x24.
    static func size(of descriptor: Int32, environment: (String) -> String? = ProcessEnvironment.variable)
        -> Size
    {
        var window = winsize()
        let isKnown = ioctl(descriptor, numericCast(TIOCGWINSZ), &window) == 0
        return Size(
            columns: isKnown && window.ws_col > 0
                ? Int(window.ws_col) : number(environment("COLUMNS")) ?? 80,
            rows: isKnown && window.ws_row > 0 ? Int(window.ws_row) : number(environment("LINES")) ?? 24)
    }

    static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    private static func number(_ text: String?) -> Int? {
        guard let value = text.flatMap({ Int($0) }), (1...10_000).contains(value) else { return nil }
        return value
    }
}
