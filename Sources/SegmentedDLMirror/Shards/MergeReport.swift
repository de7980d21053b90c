public import SegmentedDL

/// What the proofs of a mirror's shards say together.
public struct MergeReport: Sendable, Hashable {
    /// What became of a shard.
    public enum State: String, Sendable, Hashable {
        /// Each of its files is there.
        case complete
        /// It went through the source, and some of its files failed.
        case failed
        /// Its last run has not ended, or was stopped, or its source could not be read to its end.
        case unfinished
        /// Its proof is not what its last run wrote.
        case damaged
        /// Nothing of it is in the directories.
        case missing
    }

    /// One of the shards.
    public struct Part: Sendable, Hashable {
        /// Which one.
        public let shard: Shard
        /// What became of it.
        public internal(set) var state = State.missing
        /// Files that are there.
        public internal(set) var files = 0
        /// Their length in bytes.
        public internal(set) var bytes: Int64 = 0
        /// Files and entries that failed.
        public internal(set) var failed = 0
        /// The first of the failures, at most `MirrorReport.mostFailures`.
        public internal(set) var failures: [MirrorReport.Failure] = []
        /// Lines of its proofs: more than files, if several directories have it.
        var lines = 0
    }

    /// All shards, whether there is anything of them or not.
    public internal(set) var parts: [Part]
    /// Files in all of the proofs, each path counted once.
    public internal(set) var files = 0
    /// Their length in bytes.
    public internal(set) var bytes: Int64 = 0
    /// How many paths are in several proofs with different digests.
    public internal(set) var conflicting = 0
    /// The first of those paths, at most `MirrorReport.mostFailures`.
    public internal(set) var conflicts: [RelativePath] = []
    /// Whether a merged proof was written.
    public internal(set) var isWritten = false

    /// Whether every shard went through the source, and no two proofs contradict each other: then the merged proof is that of
    /// a single run, which lists what is there.
    public var isSound: Bool {
        conflicting == 0 && parts.allSatisfy { $0.state == .complete || $0.state == .failed }
    }

    /// Whether all files of the source are there, complete and verified.
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
        if conflicts.count < MirrorReport.mostFailures { conflicts.append(path) }
    }
}
