/// The choice of the files that have a line of their own at their end. A plain value.
///
/// On a terminal the files of a long list that succeeded or were stopped have none, because a reader would
/// not find the failures among them.
struct FileLines: Sendable, Hashable {
    enum Rule: Sendable, Hashable {
        /// Each file has a line.
        case each
        /// Only files that failed have one.
        case failures
        /// As `failures` in a list of more than `longestShortList` files, otherwise as `each`.
        case failuresOfLongLists
    }

    static let longestShortList = 50

    private let rule: Rule
    private var isLong = false
    private var hidesStopped = false

    /// - Parameter files: The number of files, as far as it is known.
    init(_ rule: Rule, files: Int = 0) {
        self.rule = rule
        note(files: files)
    }

    /// Takes note of the number of files. A list that was long once stays so.
    mutating func note(files: Int) {
        isLong = isLong || files > Self.longestShortList
    }

    /// Returns true if the end of a file is to be shown.
    mutating func shows(_ outcome: FileOutcome) -> Bool {
        if rule == .each || rule == .failuresOfLongLists && !isLong { return true }
        switch outcome {
        case .failed: return true
        case .done, .verified: return false
        case .cancelled:
            hidesStopped = true
            return false
        }
    }

    /// One line in place of those of the files that were stopped; `nil` if each has its own.
    var stopped: String? { hidesStopped ? "stopped; run it again to resume" : nil }
}
