internal import SegmentedDL

/// Lines for a log: when a file starts, at intervals while it is active, and when it ends.
///
/// An active file gets a line at each tenth of its length, but not within five seconds of the previous line.
/// So that a slow download does not seem stuck, it also gets one after ten seconds without a line, then after
/// twice as long each time, and finally every minute.
struct PlainRenderer: ProgressRenderer {
    private struct LastLine {
        var at: Duration
        var tenths: Int
        var patience = PlainRenderer.shortestPatience
    }

    private static let shortestPause = Duration.seconds(5)
    private static let shortestPatience = Duration.seconds(10)
    private static let longestPatience = Duration.seconds(60)

    private let output: TextOutput
    private let ascii: Bool
    private let clock: @Sendable () -> Duration
    private var lastLines: [Int: LastLine] = [:]
    private var over: Set<Int> = []
    private var lines = FileLines(.each)

    /// - Parameter clock: Returns the time since a fixed moment.
    init(output: TextOutput, ascii: Bool, clock: @escaping @Sendable () -> Duration = Self.sinceNow()) {
        self.output = output
        self.ascii = ascii
        self.clock = clock
    }

    mutating func update(_ overall: Overall, _ files: [FileSnapshot]) {
        let now = clock()
        over.formIntersection(files.map(\.id))
        // A probing file has no name or length yet: its first line is shown once they are known.
        for file in files where file.isAtWork && file.progress.state != .probing && !over.contains(file.id) {
            report(file, now)
        }
    }

    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome) {
        lastLines[file.id] = nil
        over.insert(file.id)
        guard lines.shows(outcome, isBegun: file.hasBytes) else { return }
        write(OutcomeText.labelled(file, outcome, ascii: ascii))
    }

    mutating func message(_ text: String) {
        write(TextWidth.printable(text, ascii: ascii))
    }

    mutating func end(_ overall: Overall) {
        for line in [lines.stopped, OutcomeText.summary(overall)] {
            if let line { write(line) }
        }
    }

    private mutating func report(_ file: FileSnapshot, _ now: Duration) {
        let tenths = file.progress.fraction.map { Int(min(max($0, 0), 1) * 10) } ?? 0
        let name = TextWidth.printable(file.shownName, ascii: ascii)
        // The last line of a complete file follows soon, unless computing its digest takes long.
        let isComplete = tenths == 10
        var line = LastLine(at: now, tenths: tenths)
        if let last = lastLines[file.id] {
            let pause = now - last.at
            let hasGrown = tenths > last.tenths && pause >= Self.shortestPause && !isComplete
            guard hasGrown || pause >= last.patience else { return }
            line.patience = min(last.patience * 2, Self.longestPatience)
            write("\(name): \(Self.state(file.progress))")
        } else if !isComplete {
            write("\(name): \(Self.start(file.progress))")
        }
        lastLines[file.id] = line
    }

    private static func start(_ progress: DownloadProgress) -> String {
        let size = progress.bytesTotal.map(ByteFormat.size) ?? "unknown size"
        guard progress.bytesCompleted > 0, let fraction = progress.fraction else { return size }
        return "\(size), \(ByteFormat.percent(fraction)) done"
    }

    private static func state(_ progress: DownloadProgress) -> String {
        var parts: [String] = []
        if let total = progress.bytesTotal, let fraction = progress.fraction {
            parts.append("\(ByteFormat.percent(fraction)) of \(ByteFormat.size(total))")
        } else {
            parts.append(ByteFormat.size(progress.bytesCompleted))
        }
        guard progress.state == .downloading else {
            return (parts + [progress.state.rawValue]).joined(separator: ", ")
        }
        parts.append(ByteFormat.speed(progress.bytesPerSecond))
        if progress.secondsRemaining != nil {
            parts.append(ByteFormat.duration(progress.secondsRemaining) + " left")
        }
        parts.append(Plural.count(progress.connections, "connection"))
        return parts.joined(separator: ", ")
    }

    private func write(_ line: String) {
        output.write(line + "\n")
    }

    static func sinceNow() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }
}
