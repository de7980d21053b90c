internal import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue

/// One download as a renderer sees it.
struct FileSnapshot: Sendable, Hashable {
    /// The same number for the same download in the whole run.
    var id: Int
    /// Where it comes from, fit to be shown: without credentials.
    var url: String
    var progress: DownloadProgress

    /// What to call it: its name, else what its URL ends with.
    var shownName: String {
        if let name = progress.name, !name.isEmpty { return name }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let last = parts.last else { return url }
        // A URL without a path is called by its host, which must not bring a password along.
        return parts.count > 2 ? String(last) : String(last.split(separator: "@").last ?? last)
    }

    /// Whether it is neither waiting nor over.
    var isAtWork: Bool {
        switch progress.state {
        case .probing, .downloading, .verifying, .finalizing: true
        case .queued, .retrying, .paused, .completed, .failed, .cancelled: false
        }
    }
}

/// Files of the run that no list of snapshots names: not submitted yet, or finished and forgotten.
struct UnlistedFiles: Sendable, Hashable {
    var waiting = 0
    var completed = 0
    var failed = 0
    var cancelled = 0
    /// Bytes of the completed ones.
    var bytes: Int64 = 0
    /// Whether more files may come.
    var isListing = false
}

/// All files of the run together.
struct Overall: Sendable, Hashable {
    var waiting: Int
    var active = 0
    var completed: Int
    var failed: Int
    var cancelled: Int
    /// Bytes on disk of the files that are complete or can still become so.
    var bytesCompleted: Int64
    /// The length of those files; `nil` as long as one of them is not known.
    var bytesTotal: Int64?
    var bytesPerSecond = 0.0
    var connections = 0
    /// Whether more files may come.
    var isListing: Bool
    /// Seconds left by another measure than bytes, which is taken where bytes do not tell.
    var secondsByFiles: Double?

    /// How many files the run has.
    var files: Int { waiting + active + completed + failed + cancelled }

    var fraction: Double? {
        guard let bytesTotal else { return nil }
        return bytesTotal == 0 ? 1 : Double(bytesCompleted) / Double(bytesTotal)
    }

    var secondsRemaining: Double? {
        guard let bytesTotal, bytesPerSecond >= 1 else { return secondsByFiles }
        return Double(max(0, bytesTotal - bytesCompleted)) / bytesPerSecond
    }

    init(_ files: [FileSnapshot] = [], unlisted: UnlistedFiles = UnlistedFiles()) {
        waiting = unlisted.waiting
        completed = unlisted.completed
        failed = unlisted.failed
        cancelled = unlisted.cancelled
        bytesCompleted = unlisted.bytes
        // What nobody has asked the server about yet has no known length.
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
