public import SegmentedDL

/// The report of a mirror.
public struct MirrorReport: Sendable, Hashable, Codable {
    /// How a run ended.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Ending: String, Sendable, Hashable, Codable {
        /// All entries were processed.
        case finished
        /// The mirror stopped at the maximum number of failures.
        case stopped
        /// The task was cancelled, or the downloader was shut down.
        case cancelled
        /// The source could not be read to its end, or the mirror's state could not be stored.
        case sourceFailed
        /// The job has an invalid setting; nothing was started.
        case invalidJob
    }

    /// The failure of a file or an entry.
    public struct Failure: Sendable, Hashable, Codable {
        /// The file's path below the root, or in the repository for a `HubCache`; `nil` for an entry without
        /// a path, or a failure of the source.
        public var path: RelativePath?
        /// The URL without credentials and query, or the position in a list.
        public var place: String
        /// The kind of failure; `nil` for an unusable entry.
        public var code: DownloadError.Code?
        /// The failure and a remedy as a sentence.
        public var message: String
        /// The setting that helps; not encoded.
        package var remedy: DownloadError.Remedy?

        private enum CodingKeys: String, CodingKey { case path, place, code, message }

        init(path: RelativePath? = nil, place: String, code: DownloadError.Code? = nil, message: String) {
            self.path = path
            self.place = place
            self.code = code
            self.message = message
        }
    }

    /// The maximum number of failures in a report. All failures are sent as events.
    public static let maximumFailures = 1000

    /// How the run ended.
    public var ending = Ending.finished
    /// The number of files that this run completed.
    public var completed = 0
    /// The number of files that already existed.
    public var skipped = 0
    /// The number of removed files that the source no longer has.
    public var deleted = 0
    /// The number of files that the source no longer has and that were kept because the job removes none, or
    /// because an entry failed; `nil` if the run did not process its whole source, or processed only a part
    /// of it, or if other images or revisions may have files in the same directory.
    public var gone: Int?
    /// The number of files and entries that failed. The mirror is complete only if it is 0.
    public var failed = 0
    /// The length in bytes of all files that are present at the end.
    public var bytes: Int64 = 0
    /// The body bytes that this run received for completed files, plus those kept for other files.
    public var bytesReceived: Int64 = 0
    /// `duration` in seconds, as encoded.
    package var seconds = 0.0
    /// The first failures, at most `maximumFailures`.
    public var failures: [Failure] = []

    /// The duration of the run.
    public var duration: Duration { .bounded(seconds: seconds) }

    /// Creates an empty report.
    public init() {}

    /// True if every file of the source is present, complete and verified.
    public var isComplete: Bool { ending == .finished && failed == 0 }

    mutating func add(_ result: DownloadResult) {
        if result.outcome == .downloaded { completed += 1 } else { skipped += 1 }
        bytes += result.length
        bytesReceived += result.bytesReceived
    }

    mutating func add(_ failure: Failure) {
        failed += 1
        if failures.count < Self.maximumFailures { failures.append(failure) }
    }
}
