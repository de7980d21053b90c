/// The choice of files with their own final line. A plain value.
///
/// On a terminal, successful and stopped files of a long list have none, because users would not find the
/// failures among them.
struct FileLines: Sendable, Hashable {
    enum Rule: Sendable, Hashable {
        /// Each file has a line.
        case each
        /// Only failed files have a line.
        case failures
        /// `failures` for a list of more than `longestShortList` files, otherwise `each`.
        case failuresOfLongLists
    }

    static let longestShortList = 50
    /// The number of files with a line although they were stopped before their first byte.
    private static let fewStopped = 3

    private let rule: Rule
    private var isLong = false
    private var hidesStopped = false
    /// The number of files stopped before their first byte.
    private var unbegun = 0

    /// - Parameter files: The number of files, if known.
    init(_ rule: Rule, files: Int = 0) {
        self.rule = rule
        note(files: files)
    }

    /// Records the number of files. A list that was once long remains so.
    mutating func note(files: Int) {
        isLong = isLong || files > Self.longestShortList
    }

    /// Returns true if the end of a file should be shown.
    ///
    /// - Parameter isBegun: True if it has bytes.
    mutating func shows(_ outcome: FileOutcome, isBegun: Bool = true) -> Bool {
        if rule == .each || rule == .failuresOfLongLists && !isLong {
            guard case .cancelled = outcome, !isBegun else { return true }
            unbegun += 1
            return unbegun <= Self.fewStopped
        }
        switch outcome {
        case .failed: return true
        case .done, .verified: return false
        case .cancelled:
            hidesStopped = true
            return false
        }
    }

    /// The line that replaces those of the stopped files; `nil` if each has its own.
    var stopped: String? {
        if hidesStopped { return "stopped; run it again to resume" }
        let more = unbegun - Self.fewStopped
        return more > 0 ? "stopped: \(more) more \(Plural.form(of: "file", more)) at 0 B; run it again" : nil
    }
}
