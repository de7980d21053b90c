import ArgumentParser
internal import SegmentedDL

/// The output during a run.
struct ReportOptions: ParsableArguments {
    enum Progress: String, ExpressibleByArgument, CaseIterable {
        case auto, bar, plain, summary, json, none
    }

    @Option(
        help: """
            bar: bars with a map of segments, on a terminal; plain: a line at intervals; \
            summary: all files in one line, and failures; json: JSON lines on \
            standard output; auto: bar on a terminal, otherwise plain.
            """)
    var progress = Progress.auto

    @Flag(name: .shortAndLong, help: "Show only errors, and the events of --progress json.")
    var quiet = false

    @Flag(
        name: [.customShort("v"), .customLong("verbose")],
        help: """
            Also report each retry, redirect and refusal, each dropped or replaced connection, and what limited the \
            speed of a file; -vv: also response heads.
            """)
    var verbosity: Int

    /// True if `--verbose` is given.
    var verbose: Bool { verbosity > 0 }

    func validate() throws {
        if quiet, verbose { throw ValidationError("--quiet and --verbose cannot be combined.") }
    }

    /// True if the command may draw on a terminal.
    var wantsBars: Bool { !quiet && (progress == .auto || progress == .bar) }

    /// The output kind that the options select here.
    enum Kind: Sendable { case quiet, json, plain, bars }

    /// True if no permanent line shows the path of the file, and --quiet is not given.
    var showsNoFiles: Bool { kind == .bars || kind == .quiet && !quiet }

    var kind: Kind {
        // Events are for programs, and --quiet affects only text for people.
        if quiet, progress != .json { return .quiet }
        switch progress {
        case .none: return .quiet
        case .json: return .json
        case .plain: return .plain
        case .bar: return .bars
        case .auto, .summary: return Terminal.isTerminal(2) && Terminal().canRedraw ? .bars : .plain
        }
    }

    /// - Parameter files: The number of files of the run, if known.
    func makeRenderer(files: Int = 0) -> any ProgressRenderer {
        var terminal = Terminal()
        // Bars may also be requested without a terminal, for example for a log.
        if !Terminal.isTerminal(2) { terminal.color = false }
        let ascii = !terminal.unicode
        let renderer: any ProgressRenderer =
            switch kind {
            case .quiet: QuietRenderer(output: .standardError, ascii: ascii)
            case .json: JSONRenderer(output: .standardOutput)
            case .plain: PlainRenderer(output: .standardError, ascii: ascii)
            case .bars:
                BarRenderer(descriptor: 2, terminal: terminal, lines: FileLines(fileLines, files: files))
            }
        var shown = renderer
        if progress == .summary, kind != .quiet {
            shown = SummaryRenderer(renderer, isRedrawn: kind == .bars)
        }
        if kind == .bars, Terminal.isTerminal(2), TerminalProgress.isSupported() {
            shown = TerminalProgressRenderer(shown, descriptor: 2)
        }
        return shown
    }

    /// The rule for files with a final line above the bars. The summary renderer applies its own rule.
    private var fileLines: FileLines.Rule {
        verbose || progress == .summary ? .each : .failuresOfLongLists
    }
}
