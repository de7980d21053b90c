internal import SegmentedDL

/// The totals of files that are not in a list of snapshots: not yet submitted, or ended and dropped from the
/// list.
struct FileTally: Sendable, Hashable {
    var waiting = 0
    var completed = 0
    var failed = 0
    var cancelled = 0
    /// The bytes of the completed files.
    var bytes: Int64 = 0
    /// True if more files may follow.
    var isListing = false
    /// The exit status of the last unsuccessful file.
    private(set) var failure: Int32 = 0

    /// Counts an ended file.
    mutating func add(_ outcome: FileOutcome, _ progress: DownloadProgress) {
        if outcome.exitStatus != 0 { failure = outcome.exitStatus }
        switch outcome {
        case .done(let result):
            completed += 1
            bytes += result.length
        case .verified:
            completed += 1
            bytes += progress.bytesCompleted
        case .failed: failed += 1
        case .cancelled: cancelled += 1
        }
    }

    /// Returns the exit status of a run: that of its only file; of several files, 1 if any did not succeed.
    ///
    /// - Parameter count: The number of files in the run.
    func exitStatus(of count: Int) -> Int32 {
        count == 1 ? failure : failure == 0 ? 0 : 1
    }
}
