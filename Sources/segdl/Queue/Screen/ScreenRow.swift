internal import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue

/// The line of one download in the list.
struct ScreenRow {
    let receipt: Receipt
    /// The printable name.
    let name: String
    let isSelected: Bool
    let now: Date
    let terminal: Terminal
    let columns: ScreenColumns

    var line: StyledLine {
        guard !isSelected else {
            // One style across the whole width, because separate styles for the parts would leave gaps.
            let text = TextWidth.padded(pieces.text, to: columns.columns)
            return StyledLine(terminal.color ? text : pieces.trimmed().text, .reverse)
        }
        return pieces.trimmed()
    }

    private var pieces: StyledLine {
        let mark = StateMark(receipt.state)
        var line = StyledLine(isSelected ? ">" : " ")
        guard columns.columns > 1 else { return line }
        line.append(mark.text(terminal), mark.style)
        guard columns.columns > ScreenColumns.lead else { return line }
        line.append(
            " "
                + TextWidth.padded(
                    shortened(name, to: columns.nameWidth, cut: .middle), to: columns.nameWidth))
        if let note, columns.noteWidth >= 12 {
            line.append(String(repeating: " ", count: BarFields.gap))
            line.append(shortened(note, to: columns.noteWidth), mark.style)
            return line
        }
        for field in columns.fields {
            let width = columns.width(of: field)
            line.append(String(repeating: " ", count: BarFields.gap))
            if field == .map {
                line.append(bar(width), mark.style)
            } else {
                line.append(TextWidth.padded(text(field), to: width, leading: true))
            }
        }
        return line
    }

    /// The text in place of numbers, for a download that failed or waits for a retry.
    private var note: String? {
        let message = receipt.error.map { TextWidth.printable(cause($0.message), ascii: !terminal.unicode) }
        switch receipt.state {
        case .failed: return message ?? "failed"
        case .retrying:
            let seconds = receipt.retriesAt.map { max(0, $0.timeIntervalSince(now)) }
            return "again in \(ByteFormat.duration(seconds))" + (message.map { ": " + $0 } ?? "")
        default: return nil
        }
    }

    /// Returns a message without its usual leading URL, because the row already contains the name.
    private func cause(_ message: String) -> String {
        let url = receipt.source.description + ": "
        return message.hasPrefix(url) ? String(message.dropFirst(url.count)) : message
    }

    private func text(_ field: BarFields.Field) -> String {
        switch field {
        case .map: ""
        case .percent: receipt.fraction.map(ByteFormat.percent) ?? ""
        case .size:
            (receipt.bytesTotal ?? (receipt.bytesCompleted > 0 ? receipt.bytesCompleted : nil))
                .map { ByteFormat.size($0) } ?? ""
        case .longSize: sizes
        case .speed: speed
        case .remaining:
            receipt.state == .downloading && receipt.bytesTotal != nil
                ? ByteFormat.duration(receipt.secondsRemaining) : ""
        case .connections: receipt.connections > 0 ? "\(receipt.connections)" : ""
        }
    }

    private var sizes: String {
        let completed = receipt.bytesCompleted > 0 ? ByteFormat.size(receipt.bytesCompleted) : ""
        guard let total = receipt.bytesTotal else { return completed }
        let isWhole = receipt.bytesCompleted >= total || receipt.bytesCompleted == 0
        return (isWhole ? "" : completed + " / ") + ByteFormat.size(total)
    }

    /// The speed, or the activity of a download that receives no bytes.
    private var speed: String {
        switch receipt.state {
        case .downloading: ByteFormat.speed(receipt.bytesPerSecond)
        case .probing: "connecting"
        case .queued: "waiting"
        default: receipt.state.rawValue
        }
    }

    private func bar(_ width: Int) -> String {
        let done = 0..<max(0, receipt.bytesCompleted)
        // If the length is unknown, so is the completed fraction.
        let cells = SegmentMap.cells(
            total: receipt.bytesTotal ?? .max, completed: [done], active: [], width: width)
        return String(cells.map { SegmentMap.character($0, unicode: terminal.unicode) })
    }

    private func shortened(_ text: String, to width: Int, cut: TextWidth.Cut = .end) -> String {
        TextWidth.shortened(text, to: width, cut: cut, ellipsis: terminal.unicode ? "…" : "~")
    }
}

/// The state in one column, for narrow windows.
struct StateMark: Sendable, Hashable {
    private let unicode: Character
    private let ascii: Character
    let style: StyledLine.Style

    init(_ state: DownloadState) {
        // Few of these are outside the original PC character set, which is all that a bare console supports.
        (unicode, ascii, style) =
            switch state {
            case .queued: ("·", ".", .dim)
            case .probing: ("?", "?", .cyan)
            case .downloading: ("↓", "v", .cyan)
            case .retrying: ("!", "!", .red)
            case .paused: ("=", "=", .dim)
            case .verifying, .finalizing: ("*", "*", .cyan)
            case .completed: ("✓", "+", .green)
            case .failed: ("✗", "X", .red)
            case .cancelled: ("■", "-", .dim)
            }
    }

    func text(_ terminal: Terminal) -> String {
        String(terminal.unicode ? unicode : ascii)
    }
}
