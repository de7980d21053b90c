internal import SegmentedDL
internal import SegmentedDLMirror

/// One frame of the live area, for a window of a given size, independent of the time and the cursor.
struct BarLayout: Sendable, Hashable {
    /// The maximum line width.
    var columns: Int
    /// The height of the window; a frame is at least one line shorter.
    var rows: Int
    var unicode = true
    var color = true
    /// The number of the frame, which drives the spinner.
    var tick = 0

    /// Returns the lines to write.
    func frame(_ overall: Overall, _ files: [FileSnapshot]) -> [String] {
        lines(overall, files).map { $0.rendered(color: color) }
    }

    func lines(_ overall: Overall, _ files: [FileSnapshot]) -> [StyledLine] {
        guard columns > 0, rows > 1 else { return [] }
        let atWork = shown(files)
        let summary = overall.files > 1 ? [overallLine(overall)] : []
        let room = rows - 1 - summary.count
        // Maps have separate lines while half of the window remains free for other text.
        let isTall = atWork.count * 2 + summary.count <= rows / 2 && columns >= BarFields.Field.map.width
        let fitting = atWork.count <= room ? atWork : Array(atWork.prefix(max(1, room - 1)))
        var lines: [StyledLine] = []
        let names = fitting.map { name($0) }
        let fields = BarFields(
            columns: columns, longestName: names.map(TextWidth.columns).max() ?? 0, isTall: isTall)
        for (file, name) in zip(fitting, names) {
            lines.append(fileLine(file.progress, name, fields))
            if isTall, let total = file.progress.bytesTotal {
                lines.append(map(file.progress, total: total, width: columns))
            }
        }
        if fitting.count < atWork.count {
            lines.append(StyledLine(shortened("and \(atWork.count - fitting.count) more"), .dim))
        }
        // If only one line fits, show the totals.
        return (lines.prefix(max(0, room)) + summary).map { $0.trimmed() }
    }

    /// Returns the active files or, if there are none, the first waiting one; otherwise a single file would
    /// not be shown.
    private func shown(_ files: [FileSnapshot]) -> [FileSnapshot] {
        let atWork = files.filter(\.isAtWork)
        return atWork.isEmpty ? Array(files.filter { $0.progress.state == .queued }.prefix(1)) : atWork
    }

    private func name(_ file: FileSnapshot) -> String {
        TextWidth.printable(file.shownName, ascii: !unicode)
    }

    private func shortened(_ text: String, to width: Int? = nil, cut: TextWidth.Cut = .end) -> String {
        TextWidth.shortened(text, to: width ?? columns, cut: cut, ellipsis: unicode ? "…" : "~")
    }

    // MARK: One file

    private func fileLine(_ progress: DownloadProgress, _ name: String, _ fields: BarFields) -> StyledLine {
        if fields.fields.isEmpty { return narrowLine(progress, name) }
        var line = StyledLine(
            TextWidth.padded(shortened(name, to: fields.nameWidth, cut: .middle), to: fields.nameWidth))
        for field in fields.fields {
            let width = fields.width(of: field)
            line.append(String(repeating: " ", count: BarFields.gap))
            if field == .map, let total = progress.bytesTotal {
                for span in map(progress, total: total, width: width).spans {
                    line.append(span.text, span.style)
                }
            } else {
                line.append(TextWidth.padded(text(field, progress), to: width, leading: true))
            }
        }
        return line
    }

    /// Returns only the percentage, for a window where the name next to it would have two letters. Numbers
    /// are never truncated, because that would make them wrong.
    private func narrowLine(_ progress: DownloadProgress, _ name: String) -> StyledLine {
        let percent = text(.percent, progress)
        return StyledLine(percent.count <= columns ? percent : shortened(name))
    }

    private func text(_ field: BarFields.Field, _ progress: DownloadProgress) -> String {
        switch field {
        case .map: ""
        case .percent: progress.fraction.map(ByteFormat.percent) ?? spinner
        case .size: ByteFormat.size(progress.bytesTotal ?? progress.bytesCompleted)
        case .longSize: sizes(progress.bytesCompleted, of: progress.bytesTotal)
        case .speed: speed(progress)
        case .remaining: remaining(progress)
        case .connections: progress.connections > 0 ? "\(progress.connections) conn" : ""
        }
    }

    private func sizes(_ completed: Int64, of total: Int64?) -> String {
        let completed = ByteFormat.size(completed)
        return total.map { completed + " / " + ByteFormat.size($0) } ?? completed
    }

    /// Returns the speed, or the activity of a file that receives no bytes.
    private func speed(_ progress: DownloadProgress) -> String {
        switch progress.state {
        case .probing where progress.isBetweenTries, .downloading where progress.isBetweenTries: "will retry"
        case .downloading: ByteFormat.speed(progress.bytesPerSecond)
        case .probing: "connecting"
        case .queued: "waiting"
        default: progress.state.rawValue
        }
    }

    private func remaining(_ progress: DownloadProgress) -> String {
        guard progress.state == .downloading, progress.bytesTotal != nil else { return "" }
        return ByteFormat.duration(progress.secondsRemaining)
    }

    private var spinner: String {
        let turns: [String] =
            unicode
            ? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] : ["|", "/", "-", "\\"]
        return turns[Int(tick.magnitude % turns.count.magnitude)]
    }

    private func map(_ progress: DownloadProgress, total: Int64, width: Int) -> StyledLine {
        var line = StyledLine()
        let cells = SegmentMap.cells(
            total: total, completed: progress.completedRanges, active: progress.activeSegments, width: width)
        for cell in cells {
            let style: StyledLine.Style =
                switch cell {
                case .missing: .dim
                case .writing: .cyan
                case .partial, .complete: .green
                }
            line.append(String(SegmentMap.character(cell, unicode: unicode)), style)
        }
        return line
    }

    // MARK: All files

    private func overallLine(_ overall: Overall) -> StyledLine {
        var parts = LineParts()
        let files = "\(overall.completed)/\(overall.files)\(overall.isListing ? "+" : "") files"
        parts.add(files, drop: 0)
        if overall.failed > 0 { parts.add("\(overall.failed) failed", drop: 1) }
        if let fraction = overall.fraction { parts.add(ByteFormat.percent(fraction), drop: 2) }
        parts.add(sizes(overall.bytesCompleted, of: overall.bytesTotal), drop: 4)
        parts.add(ByteFormat.speed(overall.bytesPerSecond), drop: 3)
        if let seconds = overall.secondsRemaining { parts.add(ByteFormat.duration(seconds), drop: 6) }
        if overall.connections > 0 { parts.add("\(overall.connections) conn", drop: 5) }
        return StyledLine(shortened(parts.joined(columns: columns)), .bold)
    }
}

/// The pieces of a line in reading order. If the line is narrow, the least important ones are omitted.
struct LineParts {
    private var parts: [(text: String, drop: Int)] = []

    /// - Parameter drop: The rank for omitting the piece: the highest first, 0 never.
    mutating func add(_ text: String, drop: Int) {
        parts.append((text, drop))
    }

    func joined(columns: Int) -> String {
        var parts = parts
        func joined() -> String { parts.map(\.text).joined(separator: "  ") }
        while parts.count > 1, TextWidth.columns(joined()) > columns {
            let worst = parts.map(\.drop).max()
            parts.removeAll { $0.drop == worst }
        }
        return joined()
    }
}
