public import SegmentedDL

/// The result of a mirror.
public struct MirrorReport: Sendable, Hashable, Codable {
    /// The ending of a run.
    public enum Ending: String, Sendable, Hashable, Codable {
        /// All entries were handled.
        case finished
        /// The mirror gave up at the limit of failures.
        case stopped
        /// The task was cancelled, or the downloader was shut down.
        case cancelled
        /// The source could not be read to its end, or the mirror's state could not be stored.
        case sourceFailed
        /// The job has an invalid setting; nothing was begun.
        case invalidJob
    }

    /// The failure of a file or an entry.
    public struct Failure: Sendable, Hashable, Codable {
        /// The file's path below the root; `nil` if an entry had none, or the source failed.
        public var path: RelativePath?
        /// The URL without credentials and query, or the place in a list.
        public var place: String
        /// The kind of failure; `nil` for an unusable entry.
        public var code: DownloadError.Code?
        /// A sentence for people: the failure, and a remedy.
        public var message: String
        /// The setting that helps; it is not encoded.
        package var remedy: DownloadError.Remedy?

        private enum CodingKeys: String, CodingKey { case path, place, code, message }

        init(path: RelativePath? = nil, place: String, code: DownloadError.Code? = nil, message: String) {
            self.path = path
            self.place = place
            self.code = code
            self.message = message
        }
    }

    /// The most failures in a report. All failures are events.
    public static let maximumFailures = 1000

    /// The ending of the run.
    public var ending = Ending.finished
    /// The number of files that this run completed.
    public var completed = 0
    /// The number of files that were already there.
    public var skipped = 0
    /// The number of removed files, which the source no longer has.
    public var deleted = 0
    /// The number of files that the source no longer has, and that stay here because the job removes none,
    /// or because an entry failed; `nil` if the run did not go through its source, or looked at a part of it.
    public var gone: Int?
    /// The number of files and entries that failed. With one failure the mirror is not complete.
    public var failed = 0
    /// The length in bytes of all files that are there at the end.
    public var bytes: Int64 = 0
    /// The bytes of bodies that this run received for completed files, and those that it has kept of others.
    public var bytesReceived: Int64 = 0
    /// `duration` in seconds, as it is encoded.
    package var seconds = 0.0
    /// The first failures, at most `maximumFailures`.
    public var failures: [Failure] = []

    /// The duration of the run.
    public var duration: Duration { .bounded(seconds: seconds) }

    /// Creates an empty report.
    public init() {}

    /// True if every file of the source is there, complete and verified.
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
