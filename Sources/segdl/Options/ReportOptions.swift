import ArgumentParser

/// What a person or program sees while it runs.
struct ReportOptions: ParsableArguments {
    enum Progress: String, ExpressibleByArgument, CaseIterable {
        case auto, bar, plain, json, none
    }

    @Option(
        help: """
            bar: bars with a map of segments, on a terminal; plain: a line now and then; json: JSON lines on \
            standard output; auto: bar on a terminal, else plain.
            """)
    var progress = Progress.auto

    @Flag(name: .shortAndLong, help: "Only errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Also say what is retried, and why.")
    var verbose = false

    func validate() throws {
        if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
    }

    /// Whether a terminal may be drawn on.
    var wantsBars: Bool { !quiet && (progress == .auto || progress == .bar) }

    func makeRenderer() -> any ProgressRenderer {
        let terminal = Terminal()
        let ascii = !terminal.unicode
        let people = TextOutput.standardError
        if quiet { return QuietRenderer(output: people, ascii: ascii) }
        switch progress {
        case .none: return QuietRenderer(output: people, ascii: ascii)
        case .json: return JSONRenderer(output: .standardOutput)
        case .plain: return PlainRenderer(output: people, ascii: ascii)
        case .bar: return BarRenderer(descriptor: 2, terminal: terminal)
        case .auto:
            if Terminal.isTerminal(2), terminal.canRedraw {
                return BarRenderer(descriptor: 2, terminal: terminal)
            }
            return PlainRenderer(output: people, ascii: ascii)
        }
    }
}
