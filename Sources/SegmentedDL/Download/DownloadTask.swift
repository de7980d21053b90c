internal import SystemPackage

/// A download as started by other parts of this package: a caller's request with internal options.
package struct DownloadTask: Sendable {
    package var request: DownloadRequest

    package var hooks = DownloadHooks()

    /// The copy that the first request revalidates; `nil` for an unconditional request.
    package var revalidatedCopy: RevalidatedCopy?

    /// True to send only the first request. A changed file is not fetched; it counts as skipped.
    package var isCheckOnly = false

    /// False if no part of the file was left by an earlier run.
    package var mayBeUnfinished = true

    /// True to fail instead of discarding the bytes of an unfinished download from another URL.
    package var refusesOtherURL = true

    /// The maximum delay that a host may request before the download is postponed; `nil` for any.
    package var patienceSeconds: Double?

    /// True to fail the download if the server shows that the URL is a directory.
    package var refusesDirectories = false

    /// False to replace or refuse an existing file with the final name, even if it is correct.
    package var recognizesCopies = true

    /// True to fail if the caller resumes another program's file that cannot be resumed, even if the policy
    /// is to store the server's file under another name: that name would hide the unfinished file.
    package var keepsUnfinished = false

    /// True to keep a file that already has the expected name without any request, whatever its content.
    package var keepsExisting = false

    /// True if an action follows the download: `PendingAction` records it until it has succeeded.
    package var hasPendingAction = false

    /// The files of an earlier run; `nil` for those derived from the request and the configuration.
    package var paths: DownloadPaths?

    package init(_ request: DownloadRequest, paths: DownloadPaths? = nil) {
        self.request = request
        self.paths = paths
    }

    /// True to mark the complete file although `hooks.record` records it: the records do not identify the
    /// version of the file.
    package var marksRecorded = false

    /// True if the caller records complete files, as a mirror does, and recognizes them by its own records.
    var isRecorded: Bool { hooks.record != nil && !marksRecorded }
}

/// A copy of the file on disk.
package struct RevalidatedCopy: Sendable {
    /// The condition of the request that revalidates the copy.
    package var condition: Condition
    /// Bytes.
    package var length: Int64
    /// The source that the copy came from; `nil` for the first one. Other sources receive no conditional
    /// request.
    package var source: Source?

    package init(condition: Condition, length: Int64, source: Source? = nil) {
        self.condition = condition
        self.length = length
        self.source = source
    }
}

/// The other download of a run that has reserved a name.
package enum NameOwner: Equatable, Sendable {
    /// It has reserved exactly this path.
    case path(of: Source)
    /// Its path differs only in case, and the file system treats both as one.
    case spelling(FilePath)
    /// The program writes another file there, because of this option.
    case output(of: String)
}
