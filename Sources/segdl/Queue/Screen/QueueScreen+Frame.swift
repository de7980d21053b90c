internal import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
internal import SystemPackage

extension QueueScreen {
    /// The lines of the window, from the first row, limited to its number of rows.
    var frame: [StyledLine] {
        guard size.rows > 0, size.columns > 0 else { return [] }
        let rows = ScreenRows(size.rows)
        var lines: [StyledLine]
        if let helpPage {
            lines = help(helpPage)
        } else {
            lines = [header]
            let columns = ScreenColumns(columns: size.columns)
            if rows.hasColumnTitles { lines.append(columns.titles) }
            lines += list(rows.list, columns)
            if rows.hasDetail { lines.append(detail) }
            if rows.hasKeys { lines.append(keys) }
        }
        if let notice {
            // If it has no line of its own, it replaces the least important line.
            lines[rows.hasDetail && helpPage == nil ? lines.count - 2 : lines.count - 1] = notice
        }
        return lines
    }

    /// Returns the printable name of a download.
    func name(_ receipt: Receipt) -> String {
        let asked: String? =
            if case .file(let path) = receipt.destination { path.lastComponent?.string } else { nil }
        let known = DownloadProgress(
            state: receipt.state, name: receipt.claimedPath?.lastComponent?.string ?? asked)
        return printable(
            FileSnapshot(id: 0, url: receipt.source.description, progress: known).shownName)
    }

    private func printable(_ text: String) -> String {
        TextWidth.printable(text, ascii: !terminal.unicode)
    }

    private func shortened(_ text: String, to width: Int? = nil, cut: TextWidth.Cut = .end) -> String {
        TextWidth.shortened(
            text, to: width ?? size.columns, cut: cut, ellipsis: terminal.unicode ? "…" : "~")
    }

    // MARK: The list

    private func list(_ rows: Int, _ columns: ScreenColumns) -> [StyledLine] {
        let end = min(listed.count, top + rows)
        var lines = (min(top, end)..<end).map { index in
            let receipt = receipts[listed[index]]
            return ScreenRow(
                receipt: receipt, name: name(receipt), isSelected: index == row, now: now, terminal: terminal,
                columns: columns
            ).line
        }
        if lines.isEmpty, rows > 0 { lines.append(StyledLine(shortened(emptiness), .dim)) }
        return lines + Array(repeating: StyledLine(), count: rows - lines.count)
    }

    private var emptiness: String {
        receipts.isEmpty ? "The queue is empty." : "All are complete; a shows them, and q quits."
    }

    // MARK: The lines around the list

    private var header: StyledLine {
        var parts = LineParts()
        parts.add("\(progress.counts[.completed] ?? 0)/\(progress.downloads) done", drop: 0)
        func add(_ states: DownloadState..., word: String, drop: Int) {
            let number = states.reduce(0) { $0 + (progress.counts[$1] ?? 0) }
            if number > 0 { parts.add("\(number) \(word)", drop: drop) }
        }
        add(.probing, .downloading, .verifying, .finalizing, word: "active", drop: 6)
        add(.queued, word: "waiting", drop: 7)
        add(.retrying, word: "retrying", drop: 8)
        add(.paused, word: "paused", drop: 9)
        add(.failed, word: "failed", drop: 1)
        add(.cancelled, word: "cancelled", drop: 11)
        // The completed fraction is unknown while a length is unknown.
        let isKnown = progress.unknownLengths == 0
        if isKnown, progress.bytesTotal > 0 {
            let fraction = Double(progress.bytesCompleted) / Double(progress.bytesTotal)
            parts.add(ByteFormat.percent(fraction), drop: 2)
        }
        let total = ByteFormat.size(progress.bytesTotal) + (isKnown ? "" : "+")
        parts.add(ByteFormat.size(progress.bytesCompleted) + " / " + total, drop: 5)
        parts.add(ByteFormat.speed(progress.bytesPerSecond), drop: 3)
        if let bytesToCome, bytesToCome > 0, progress.bytesPerSecond >= 1 {
            parts.add(ByteFormat.duration(bytesToCome / progress.bytesPerSecond), drop: 4)
        }
        if progress.connections > 0 { parts.add("\(progress.connections) conn", drop: 10) }
        return StyledLine(shortened(parts.joined(columns: size.columns)), .bold)
    }

    /// The question, otherwise the message.
    private var notice: StyledLine? {
        if let question {
            let tail = " y/n"
            let note = " " + question.note
            // The name is truncated first, then the note is omitted, so that the question and the keys for
            // the response remain.
            let short = TextWidth.columns(question.verb + " ?" + tail)
            let long = short + TextWidth.columns(note)
            let isLong = long + min(TextWidth.columns(question.name), 12) <= size.columns
            let room = size.columns - (isLong ? long : short)
            let name = shortened(question.name, to: max(0, room), cut: .middle)
            return StyledLine(
                shortened("\(question.verb) \(name)?\(isLong ? note : "")\(tail)"), .bold)
        }
        guard let message else { return nil }
        return StyledLine(shortened(printable(message.text)), message.isError ? .red : .normal)
    }

    /// The part of the selected download's description that does not fit in its row.
    private var detail: StyledLine {
        guard let selection else { return StyledLine() }
        if let error = selection.error, selection.state == .failed || selection.state == .retrying {
            return StyledLine(shortened(printable(error.message)), .red)
        }
        let from = printable(selection.source.description)
        let path = selection.path.map { printable($0.string) }
        let place = selection.state == .completed ? path : nil
        return StyledLine(shortened(place ?? from, cut: .middle), .dim)
    }

    private var keys: StyledLine {
        var parts = LineParts()
        let waits = waitsForMore && progress.isIdle
        for (text, drop) in [
            ("? help", 1), (waits ? "q quit (now waiting for more)" : "q quit", 0), ("p pause", 2),
            ("r resume", 3), ("c cancel", 4), ("x remove", 5),
            ("K/J move", 6), ("P/R all", 8), (filter == .all ? "u unfinished" : "a all", 7),
        ] {
            parts.add(text, drop: drop)
        }
        return StyledLine(shortened(parts.joined(columns: size.columns)), .dim)
    }

    // MARK: Help

    private var helpRows: Int { max(1, size.rows - 1) }

    var helpPages: Int { (ScreenHelp.lines(terminal).count + helpRows - 1) / helpRows }

    private func help(_ page: Int) -> [StyledLine] {
        let all = ScreenHelp.lines(terminal)
        let shown = all.dropFirst(page * helpRows).prefix(helpRows).map { StyledLine(shortened($0)) }
        let rest = Array(repeating: StyledLine(), count: max(0, size.rows - 1 - shown.count))
        guard size.rows > 1 else { return shown }
        let prompt = page + 1 < helpPages ? "any key: more" : "any key: back"
        return shown + rest + [StyledLine(shortened(prompt), .dim)]
    }
}
