internal import SegmentedDL

/// One download as shown by a renderer.
struct FileSnapshot: Sendable, Hashable {
    /// Unique and constant for a download during the run.
    var id: Int
    /// The URL in displayable form: without credentials.
    var url: String
    var progress: DownloadProgress
    /// True if a complete file is shown by its name, because its path on disk identifies only its content.
    var isShownByName = false

    /// The file name, or the end of the URL.
    var shownName: String {
        if let name = progress.name, !name.isEmpty { return name }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let last = parts.last else { return url }
        // For a URL without a path, this is the host, without the password before it.
        return parts.count > 2 ? String(last) : String(last.split(separator: "@").last ?? last)
    }

    var hasBytes: Bool { progress.bytesCompleted > 0 }

    /// True if it is neither waiting nor ended.
    var isAtWork: Bool {
        switch progress.state {
        case .probing, .downloading, .verifying, .finalizing: true
        case .queued, .retrying, .paused, .completed, .failed, .cancelled: false
        }
    }
}

/// The totals of all files of the run.
struct Overall: Sendable, Hashable {
    var waiting: Int
    var active = 0
    var completed: Int
    var failed: Int
    var cancelled: Int
    /// Bytes on disk of the files that are complete or can still be completed.
    var bytesCompleted: Int64
    /// The length of those files; `nil` while one length is unknown.
    var bytesTotal: Int64?
    var bytesPerSecond = 0.0
    var connections = 0
    /// True if more files may follow.
    var isListing: Bool
    /// True if the files existed before, and are only being compared with their digests.
    var isCheck = false
    /// The time remaining by a measure other than bytes, for a run with an unknown number of bytes.
    var secondsByFiles: Double?

    /// The number of files in the run.
    var files: Int { waiting + active + completed + failed + cancelled }

    var fraction: Double? { DownloadProgress.fraction(bytesCompleted, of: bytesTotal) }

    var secondsRemaining: Double? {
        guard let bytesTotal, bytesPerSecond >= 1 else { return secondsByFiles }
        return Double(max(0, bytesTotal - bytesCompleted)) / bytesPerSecond
    }

    init(_ files: [FileSnapshot] = [], unlisted: FileTally = FileTally()) {
        waiting = unlisted.waiting
        completed = unlisted.completed
        failed = unlisted.failed
        cancelled = unlisted.cancelled
        bytesCompleted = unlisted.bytes
        // The length of a waiting file is unknown before its first request.
        bytesTotal = unlisted.waiting == 0 && !unlisted.isListing ? unlisted.bytes : nil
        isListing = unlisted.isListing
        for file in files { add(file.progress) }
    }

    private mutating func add(_ progress: DownloadProgress) {
        switch progress.state {
        case .queued, .retrying, .paused: waiting += 1
        case .probing, .downloading, .verifying, .finalizing: active += 1
        case .completed: completed += 1
        case .failed:
            failed += 1
            return
        case .cancelled:
            cancelled += 1
            return
        }
        bytesCompleted += progress.bytesCompleted
        bytesPerSecond += progress.bytesPerSecond
        connections += progress.connections
        if let sum = bytesTotal, let total = progress.bytesTotal {
            bytesTotal = sum + total
        } else {
            bytesTotal = nil
        }
    }
}
