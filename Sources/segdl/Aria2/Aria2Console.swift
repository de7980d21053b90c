internal import SegmentedDL
internal import SystemPackage

/// aria2's console: messages, a readout once a second, summaries, and a final table.
struct Aria2Console: ProgressRenderer {
    private let downloads: [Aria2Download]
    private let results: Aria2Results
    private let style: Aria2Style
    private let output: TextOutput
    private let log: TextOutput?
    private let clock: @Sendable () -> Duration
    private let format: Aria2Format
    private var rows: [Aria2Format.Row] = []
    private var over: Set<Int> = []
    /// The last speeds of active files: a stopped file no longer has a speed.
    private var speeds: [Int: Double] = [:]
    private var lastReadout: Duration
    private var lastSummary: Duration

    /// - Parameters:
    ///   - downloads: The files of the run by number.
    ///   - results: The statuses of files that have ended.
    ///   - log: The file given with --log.
    ///   - clock: Returns the time since a fixed moment.
    init(
        _ downloads: [Aria2Download], results: Aria2Results, style: Aria2Style, output: TextOutput,
        log: TextOutput? = nil, clock: @escaping @Sendable () -> Duration = PlainRenderer.sinceNow()
    ) {
        self.downloads = downloads
        self.results = results
        self.style = style
        self.output = output
        self.log = log
        self.clock = clock
        format = Aria2Format(isHuman: style.isHuman)
        lastReadout = clock()
        lastSummary = lastReadout
    }

    mutating func update(_ overall: Overall, _ files: [FileSnapshot]) {
        guard !style.isQuiet else { return }
        over.formIntersection(files.map(\.id))
        let atWork = files.filter { $0.isAtWork && !over.contains($0.id) }
        for file in atWork where file.progress.connections > 0 {
            speeds[file.id] = file.progress.bytesPerSecond
        }
        let active = atWork.map { shown($0) }
        let now = clock()
        guard !active.isEmpty, now - lastReadout >= .seconds(1) else { return }
        lastReadout = now
        if style.summaryInterval > 0, now - lastSummary >= .seconds(style.summaryInterval) {
            lastSummary = now
            output.write((style.isRedrawn ? "\n" : "") + format.summary(active, date: Aria2Date.ofSummary))
        }
        if style.hasReadout { writeReadout(format.readout(active)) }
    }

    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome) {
        over.insert(file.id)
        let speed = speeds.removeValue(forKey: file.id) ?? file.progress.bytesPerSecond
        let download = downloads[file.id]
        let place = path(file).map { TextWidth.printable($0, ascii: false) }
        var row = Aria2Format.Row(
            gid: "\(download.gid)", status: .ok, percent: file.progress.fraction.map { Int($0 * 100) },
            place: place ?? file.url)
        switch outcome {
        case .done(let result):
            if let path = result.path { row.place = TextWidth.printable(path.string, ascii: false) }
            let seconds = ByteFormat.seconds(result.duration)
            row.bytesPerSecond = seconds > 0 ? Double(result.bytesWritten) / seconds : nil
            row.percent = 100
            write(.notice, "Download complete: \(row.place)")
        case .verified:
            write(.notice, "Download complete: \(row.place)")
        case .failed(let message, _, _, _):
            row.status = .failed
            row.bytesPerSecond = 0
            let code = results.status(of: file.id) ?? 1
            let text = TextWidth.printable(message, ascii: false)
            write(.error, "Download aborted. URI=\(file.url)\nException: errorCode=\(code) \(text)")
            write(.notice, "Download GID#\(download.gid) not complete: \(place ?? "")")
        case .cancelled:
            // aria2's table does not list files that have not started.
            guard file.progress.bytesTotal != nil || file.progress.bytesCompleted > 0 else { return }
            row.status = .unfinished
            row.bytesPerSecond = speed
            write(.notice, "Download GID#\(download.gid) not complete: \(place ?? "")")
        }
        rows.append(row)
    }

    mutating func message(_ text: String) {
        write(.notice, TextWidth.printable(text, ascii: false))
    }

    mutating func end(_ overall: Overall) {
        guard !style.isQuiet, style.results != .hide else { return }
        output.write(format.results(rows, isFull: style.results == .full))
    }

    /// Writes a message to the console and to the log.
    func write(_ level: Aria2Level, _ text: String) {
        if !style.isQuiet, level >= style.level {
            output.write("\n\(Aria2Date.ofMessage) [\(level.word(isColored: style.isColored))] \(text)\n")
        }
        if level >= style.logLevel {
            log?.write("\(Aria2Date.ofLog) [\(level.word(isColored: false))] \(text)\n")
        }
    }

    private func writeReadout(_ text: String) {
        guard style.isRedrawn else { return output.write(text + "\n") }
        let line = style.columns.map { String(text.prefix(max(0, $0 - 1))) } ?? text
        output.write("\r\u{1B}[K\(line)")
    }

    private func shown(_ file: FileSnapshot) -> Aria2Format.Active {
        Aria2Format.Active(
            gid: "\(downloads[file.id].gid)", completed: file.progress.bytesCompleted,
            total: file.progress.bytesTotal, connections: file.progress.connections,
            bytesPerSecond: file.progress.bytesPerSecond, secondsRemaining: file.progress.secondsRemaining,
            path: path(file).map { TextWidth.printable($0, ascii: false) } ?? file.url)
    }

    private func path(_ file: FileSnapshot) -> String? {
        downloads[file.id].path(name: file.progress.name)?.string
    }
}

/// The current time as text.
enum Aria2Date {
    /// Console format: `11/23 18:09:24`.
    static var ofMessage: String { LocalTime.text("%m/%d %H:%M:%S") }
    /// Log format: `2026-11-23 18:09:24`.
    static var ofLog: String { LocalTime.text("%Y-%m-%d %H:%M:%S") }
    /// asctime(3) format: `Mon Nov 23 18:09:24 2026`.
    static var ofSummary: String { LocalTime.text("%a %b %e %H:%M:%S %Y") }
}
