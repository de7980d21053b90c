public import SegmentedDL

/// The merged result of a mirror's shards.
public struct MergeReport: Sendable, Hashable {
    /// The result of a shard.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum State: String, Sendable, Hashable {
        /// All files of the shard are present.
        case complete
        /// The shard read the whole source, but some of its files failed.
        case failed
        /// The shard's last run has not ended or was stopped, or its source could not be read to the end.
        case unfinished
        /// The shard's proof differs from the one written by its last run.
        case damaged
        /// The directories contain no files of the shard.
        case missing
    }

    /// One of the shards.
    public struct Part: Sendable, Hashable {
        /// The shard.
        public let shard: Shard
        /// The result of the shard.
        public internal(set) var state = State.missing
        /// The number of files that are present.
        public internal(set) var files = 0
        /// The length of these files in bytes.
        public internal(set) var bytes: Int64 = 0
        /// The number of files and entries that failed.
        public internal(set) var failed = 0
        /// The first of the failures, at most `MirrorReport.maximumFailures`.
        public internal(set) var failures: [MirrorReport.Failure] = []
        /// The number of lines in its proofs; more than the number of files if several directories contain
        /// the shard.
        var lines = 0
    }

    /// All shards, including those that were not found.
    public internal(set) var parts: [Part]
    /// The number of files in all proofs; each path counts once.
    public internal(set) var files = 0
    /// The length of these files in bytes.
    public internal(set) var bytes: Int64 = 0
    /// The number of paths that have different digests in several proofs.
    public internal(set) var conflicting = 0
    /// The first of those paths, at most `MirrorReport.maximumFailures`.
    public internal(set) var conflicts: [RelativePath] = []
    /// True if a merged proof was written.
    public internal(set) var isWritten = false

    /// True if every shard read the whole source, and no two proofs contradict each other. The merged proof
    /// then equals that of a single run, and lists the files that are present.
    public var isSound: Bool {
        conflicting == 0 && parts.allSatisfy { $0.state == .complete || $0.state == .failed }
    }

    /// True if all files of the source are present, complete and verified.
    public var isComplete: Bool { isSound && parts.allSatisfy { $0.state == .complete } }

    /// Counts a file.
    mutating func add(_ size: Int64, of part: Int) {
        parts[part].files += 1
        parts[part].bytes += size
        files += 1
        bytes += size
    }

    mutating func addConflict(_ path: RelativePath) {
        conflicting += 1
        if conflicts.count < MirrorReport.maximumFailures { conflicts.append(path) }
    }
}
