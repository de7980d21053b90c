extension Aria2Format {
    /// A line of the results table.
    struct Row: Sendable, Equatable {
        enum Status: String, Sendable, CaseIterable {
            case ok = "OK"
            case failed = "ERR"
            case unfinished = "INPR"

            fileprivate var legend: String {
                switch self {
                case .ok: "(OK):download completed."
                case .failed: "(ERR):error occurred."
                case .unfinished: "(INPR):download in-progress."
                }
            }
        }

        var gid: String
        var status: Status
        /// `nil` if nothing was measured.
        var bytesPerSecond: Double?
        /// `nil` if the length is unknown.
        var percent: Int?
        /// The path; the URI if the path is unknown.
        var place: String
    }

    /// Returns aria2's table.
    ///
    /// - Parameter isFull: True to include the percentage.
    func results(_ rows: [Row], isFull: Bool) -> String {
        let head = isFull ? "gid   |stat|avg speed  |  %|path/URI" : "gid   |stat|avg speed  |path/URI"
        let rule = isFull ? "======+====+===========+===+" : "======+====+===========+"
        let line = rule + String(repeating: "=", count: Self.columns - rule.count)
        let legend = Row.Status.allCases.filter { status in rows.contains { $0.status == status } }
        let lines = rows.map { row($0, isFull: isFull) + "\n" }.joined()
        var text = "\nDownload Results:\n\(head)\n\(line)\n\(lines)\nStatus Legend:\n"
        text += legend.map(\.legend).joined() + "\n"
        if legend != [.ok] {
            text += "\nsegdl will resume download if the transfer is restarted.\n"
        }
        return text
    }

    private func row(_ row: Row, isFull: Bool) -> String {
        let speed = row.bytesPerSecond.map { Aria2Format().size(Int64($0)) + "/s" } ?? "n/a"
        let percent = TextWidth.padded(row.percent.map { "\($0)" } ?? "-", to: 3, leading: true) + "|"
        let status = TextWidth.padded(row.status.rawValue, to: 4)
        let measured = "\(TextWidth.padded(speed, to: 11, leading: true))|\(isFull ? percent : "")"
        return "\(Self.short(row.gid))|\(status)|\(measured)\(row.place)"
    }
}
