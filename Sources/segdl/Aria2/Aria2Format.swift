/// Formats numbers and lines like aria2's console, because programs parse them.
struct Aria2Format: Sendable {
    /// The width of tables.
    static let columns = 79
    /// The maximum number of files in a one-line readout.
    private static let mostFiles = 5

    /// False for plain byte counts.
    var isHuman = true

    /// Returns `0B`, `812B`, `9.7KiB`, `115KiB`, `0.9MiB`: rounded down, with one decimal below ten.
    func size(_ bytes: Int64) -> String {
        guard isHuman else { return "\(max(0, bytes))B" }
        let units = ["", "Ki", "Mi", "Gi"]
        var (whole, rest, unit) = (max(0, bytes), Int64(0), 0)
        while whole >= 1024, unit < units.count - 1 {
            (whole, rest, unit) = (whole / 1024, whole % 1024, unit + 1)
        }
        if whole >= 922, unit < units.count - 1 { (whole, rest, unit) = (0, whole, unit + 1) }
        let decimal = whole < 10 && unit > 0 ? ".\(rest * 10 / 1024)" : ""
        return "\(Self.grouped(whole))\(decimal)\(units[unit])B"
    }

    /// Returns the digits in comma-separated groups of three.
    private static func grouped(_ number: Int64) -> String {
        guard number >= 1000 else { return "\(number)" }
        let digits = String(number % 1000)
        return "\(grouped(number / 1000)),\(String(repeating: "0", count: 3 - digits.count))\(digits)"
    }

    /// Returns `1h2m3s`, without parts that are zero.
    static func time(_ seconds: Int) -> String {
        guard seconds > 0 else { return "0s" }
        let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")]
        return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
    }

    /// The first six digits of a gid.
    static func short(_ gid: String) -> String { String(gid.prefix(6)) }

    // MARK: Progress

    /// An active file.
    struct Active: Sendable, Equatable {
        var gid: String
        var completed: Int64 = 0
        var total: Int64?
        var connections = 0
        var bytesPerSecond = 0.0
        var secondsRemaining: Double?
        var path: String
    }

    /// Returns `[#2089b0 400KiB/33MiB(1%) CN:1 DL:115KiB ETA:4m51s]`.
    func line(_ file: Active) -> String {
        var text = "[#\(progress(file)) CN:\(file.connections) DL:\(speed(file))"
        let left = file.secondsRemaining.map { $0.isFinite ? Int(min($0, 1e9)) : 0 } ?? 0
        if left > 0 { text += " ETA:\(Self.time(left))" }
        return text + "]"
    }

    /// Returns the readout of all active files.
    func readout(_ files: [Active]) -> String {
        if files.count == 1, let only = files.first { return line(only) }
        let all = files.reduce(0.0) { $0 + $1.bytesPerSecond }
        let first = files.prefix(Self.mostFiles).map { "[#\(progress($0))]" }.joined()
        let rest = files.count > Self.mostFiles ? "(+\(files.count - Self.mostFiles))" : ""
        return "[DL:\(size(Int64(all)))]\(first)\(rest)"
    }

    /// Returns the summary of all active files.
    func summary(_ files: [Active], date: String) -> String {
        let double = String(repeating: "=", count: Self.columns)
        let single = String(repeating: "-", count: Self.columns)
        let entries = files.map { "\(line($0))\nFILE: \($0.path)\n\(single)\n" }.joined()
        return " *** Download Progress Summary as of \(date) *** \n\(double)\n\(entries)\n"
    }

    private func progress(_ file: Active) -> String {
        let total = file.total ?? 0
        let percent = total > 0 ? "(\(file.completed * 100 / total)%)" : ""
        return "\(Self.short(file.gid)) \(size(file.completed))/\(size(total))\(percent)"
    }

    private func speed(_ file: Active) -> String { size(Int64(max(0, file.bytesPerSecond))) }
}
