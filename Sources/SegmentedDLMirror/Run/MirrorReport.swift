public import SegmentedDL

/// What became of a mirror.
public struct MirrorReport: Sendable, Hashable, Codable {
    /// How it ended.
    public enum Ending: String, Sendable, Hashable, Codable {
        /// Every entry was dealt with.
        case finished
        /// It gave up after as many failures as its policy allows.
        case stopped
        /// Its task was cancelled.
        case cancelled
        /// The source could not be read to its end, or the mirror's state not kept, or the job has an invalid setting.
        case sourceFailed
    }

    /// Why something is missing.
    public struct Failure: Sendable, Hashable, Codable {
        /// The file's path below the root; `nil` if an entry had none, or the source failed.
        public var path: RelativePath?
        /// The URL without credentials and query, or the place in a list.
        public var place: String
        /// The kind of failure; `nil` for an unusable entry.
        public var code: DownloadError.Code?
        /// One sentence: what happened, and what can be done.
        public var message: String

        init(path: RelativePath? = nil, place: String, code: DownloadError.Code? = nil, message: String) {
            self.path = path
            self.place = place
            self.code = code
            self.message = message
        }
    }

    /// How many failures are kept; all of them are events.
    public static let mostFailures = 1000

    /// How it ended.
    public var ending = Ending.finished
    /// Files that this run completed.
    public var completed = 0
    /// Files that were there already.
    public var skipped = 0
    /// Files that were removed, since the source no longer has them.
    public var deleted = 0
    /// Files and entries that failed; with one of them, the mirror is not complete.
    public var failed = 0
    /// The length in bytes of all files that are there now.
    public var bytes: Int64 = 0
    /// Bytes of bodies that this run received for completed files.
    public var bytesReceived: Int64 = 0
    /// How long it took, in seconds.
    public var seconds = 0.0
    /// The first failures, at most `mostFailures`.
    public var failures: [Failure] = []

    /// An empty report.
    public init() {}

    /// Whether every entry of the source is there, complete and verified.
    public var isComplete: Bool { ending == .finished && failed == 0 }

    mutating func add(_ result: DownloadResult) {
        if result.outcome == .downloaded { completed += 1 } else { skipped += 1 }
        bytes += result.length
        bytesReceived += result.bytesReceived
    }

    mutating func add(_ failure: Failure) {
        failed += 1
        if failures.count < Self.mostFailures { failures.append(failure) }
    }
}
