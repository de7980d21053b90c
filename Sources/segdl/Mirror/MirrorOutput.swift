import SegmentedDL
internal import SegmentedDLMirror

/// The output of a mirror: the totals in one line, a few of the slowest files, and the failures.
///
/// A successful file has its own line only for programs and with `--verbose`, because users would not find
/// the failures among a hundred thousand lines.
struct MirrorOutput: ProgressRenderer {
    /// The interval between two lines of totals in a log.
    private static let pause = Duration.seconds(5)

    private var renderer: any ProgressRenderer
    private let kind: ReportOptions.Kind
    private let isVerbose: Bool
    private let programs = TextOutput.standardOutput
    private var lastLine = ContinuousClock.now

    init(_ report: ReportOptions) {
        renderer = report.makeRenderer()
        kind = report.kind
        isVerbose = report.verbose
    }

    /// True if successful files are shown individually.
    var showsEach: Bool { kind == .json || isVerbose }

    /// - Parameter slowest: The files that will take the longest, the slowest first.
    mutating func update(_ overall: Overall, _ slowest: [FileSnapshot]) {
        switch kind {
        case .quiet: break
        case .bars: renderer.update(overall, slowest)
        case .json:
            programs.write(Self.line(overall).line)
            renderer.update(overall, slowest)
        case .plain:
            // Until a file is known, other lines report the reason for the delay.
            guard overall.files > 0, ContinuousClock.now - lastLine >= Self.pause else { return }
            lastLine = .now
            renderer.message(Self.words(overall, slowest))
        }
    }

    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome) {
        renderer.finished(file, outcome: outcome)
    }

    mutating func message(_ text: String) {
        renderer.message(text)
    }

    mutating func deleted(_ path: RelativePath) {
        switch kind {
        case .json:
            var line = JSONLine(event: "deleted")
            line.add("name", path.text)
            programs.write(line.line)
        case .quiet: break
        case .bars, .plain: renderer.message("deleted: \(path)")
        }
    }

    mutating func end(_ overall: Overall) {
        renderer.end(overall)
    }

    /// - Parameters:
    ///   - planned: The number of files by action, after a dry run.
    ///   - listed: The number of files listed by the source.
    mutating func end(_ report: MirrorReport, planned: [MirrorAction: Int], listed: Int) {
        if kind == .json {
            programs.write(Self.line(report).line)
        } else if kind != .quiet {
            if !report.hasNotBegun {
                renderer.message(
                    planned.isEmpty ? Self.words(report, listed: listed) : Self.words(planned, report))
            }
            renderer.end(Overall())
        }
    }

    // MARK: In words

    private static func words(_ overall: Overall, _ slowest: [FileSnapshot]) -> String {
        let known = Plural.count(overall.files, "file") + (overall.isListing ? " listed so far" : "")
        var parts = ["\(overall.completed) of \(known)", ByteFormat.size(overall.bytesCompleted)]
        parts.append(ByteFormat.speed(overall.bytesPerSecond))
        if let seconds = overall.secondsRemaining { parts.append(ByteFormat.duration(seconds) + " left") }
        if overall.failed > 0 { parts.append("\(overall.failed) failed") }
        let text = parts.joined(separator: ", ")
        guard !slowest.isEmpty else { return text }
        let names = slowest.map { file in
            let part = file.progress.fraction.map { " " + ByteFormat.percent($0) } ?? ""
            return file.shownName + part
        }
        return text + "; slowest: " + names.joined(separator: ", ")
    }

    static func words(_ report: MirrorReport, listed: Int = 0) -> String {
        var parts = ["\(report.completed) fetched (\(ByteFormat.size(report.bytesReceived)) received)"]
        parts.append("\(report.skipped) kept")
        if report.deleted > 0 { parts.append("\(report.deleted) deleted") }
        if let gone = report.gone, gone > 0 { parts.append("\(gone) gone at the source but kept here") }
        if report.failed > 0 { parts.append("\(report.failed) failed") }
        let files = report.completed + report.skipped
        let text =
            "\(Plural.count(files, "file")), \(ByteFormat.size(report.bytes)): "
            + parts.joined(separator: ", ")
            + " in \(ByteFormat.elapsed(report.duration))"
        return switch report.ending {
        case .finished where files == 0 && report.failed == 0:
            text + "; no file of the source was selected: check its URL and the filters"
        case .finished: text
        case .stopped: text + "; it stopped at --max-failures"
        case .cancelled:
            text + "; stopped" + rest(listed - files - report.failed) + ", run it again to resume"
        case .sourceFailed: text + "; the source could not be read completely"
        case .invalidJob: text + "; nothing was started"
        }
    }

    private static func rest(_ files: Int) -> String {
        files > 0 ? " with \(Plural.count(files, "listed file")) not complete" : ""
    }

    private static func words(_ planned: [MirrorAction: Int], _ report: MirrorReport) -> String {
        var planned = planned
        planned[.fetch, default: 0] += planned.removeValue(forKey: .replace) ?? 0
        let parts = [MirrorAction.fetch, .keep, .delete].map { "\($0.rawValue) \(planned[$0] ?? 0)" }
        return "would " + parts.joined(separator: ", ")
            + (report.failed > 0 ? ", \(report.failed) failed" : "")
    }

    // MARK: For programs

    private static func line(_ overall: Overall) -> JSONLine {
        var line = JSONLine(event: "mirror")
        line.add("files", overall.files)
        line.add("listing", overall.isListing)
        line.add("completed", overall.completed)
        line.add("failed", overall.failed)
        line.add("active", overall.active)
        line.add("bytes", overall.bytesCompleted)
        line.add("total", overall.bytesTotal)
        line.add("speed", Int64(min(max(overall.bytesPerSecond, 0), 1e15)))
        line.add("remaining", rounding: overall.secondsRemaining)
        line.add("connections", overall.connections)
        return line
    }

    private static func line(_ report: MirrorReport) -> JSONLine {
        var line = JSONLine(event: "summary")
        line.add("files", report.completed + report.skipped + report.failed)
        line.add("completed", report.completed + report.skipped)
        line.add("failed", report.failed)
        line.add("bytes", report.bytes)
        line.add("fetched", report.completed)
        line.add("kept", report.skipped)
        line.add("deleted", report.deleted)
        line.add("bytes_received", report.bytesReceived)
        line.add("seconds", rounding: report.seconds)
        line.add("ending", report.ending.rawValue)
        return line
    }
}
