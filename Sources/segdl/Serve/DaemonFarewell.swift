import SegmentedDL
import SegmentedDLQueue

/// The final message of a daemon, which explains what its next start does with incomplete downloads.
enum DaemonFarewell {
    /// - Returns: One sentence; empty if all are complete.
    static func hints(_ progress: QueueProgress) -> [String] {
        let count = { (states: [DownloadState]) in states.reduce(0) { $0 + progress.counts[$1, default: 0] } }
        let running = count(DownloadState.allCases.filter { !$0.isFinal && $0 != .paused })
        let waiting = [DownloadState.paused, .failed, .cancelled].map { (count([$0]), $0.rawValue) }
            .filter { $0.0 > 0 }
        var parts: [String] = []
        if running > 0 {
            parts.append("the same segdl serve command resumes \(Plural.count(running, "download"))")
        }
        if !waiting.isEmpty {
            let names = Self.list(waiting.map { "\($0.0) \($0.1)" })
            let stay = waiting.reduce(0) { $0 + $1.0 } == 1 ? "remains" : "remain"
            parts.append("\(names) \(stay) so until Resume or Retry is pressed on the page")
        }
        guard let first = parts.first else { return [] }
        let rest = parts.dropFirst().map { "; \($0)" }.joined()
        return [first.prefix(1).uppercased() + first.dropFirst() + rest + "."]
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}
