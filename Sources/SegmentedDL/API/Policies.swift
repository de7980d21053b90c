/// How many connections fetch one file.
public enum SegmentCount: Sendable, Hashable, Codable {
    /// As many as end the download sooner, by the speed that is measured and the time that a connection takes to
    /// set up; at most as many as the caps allow.
    case automatic
    /// At most this many, at least 1.
    case fixed(Int)
}

/// What to do when the final name is taken.
public enum ExistingFilePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Fail before anything is downloaded.
    case fail
    /// Replace it, in one step, when the download is complete.
    case replace
    /// Take the first free name of `name.1.ext`, `name.2.ext` and so on.
    case rename
    /// Leave it, and count the download as done.
    case skip
}

/// How a file in a directory is named.
public enum FileNaming: String, Sendable, Hashable, Codable, CaseIterable {
    /// As the server says in Content-Disposition, or else by the last part of the URL's path.
    case server
    /// By the last part of the URL's path, whatever the server says.
    case url
    /// By the SHA-256 of the URL in hexadecimal, with the ending of the URL's path: no two URLs share one.
    case urlDigest
}

/// What a checkpoint is safe against.
public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Power cuts and kernel crashes: data is synced to the disk before the manifest says it is there.
    case power
    /// The death of the process only; after a reboot nothing is trusted.
    case process
}

/// Which waiting file starts next.
public enum QueueOrder: String, Sendable, Hashable, CaseIterable {
    /// The one that was added first.
    case fifo
    /// The one that was added last.
    case lifo
}

/// How failures that may pass are answered.
public struct RetryPolicy: Sendable, Hashable {
    /// How many times in a row a download is tried again without a byte of progress. 0 or more.
    public var retries = 7

    /// Seconds before the first retry; doubled with each further one, with jitter. More than 0.
    public var delay = 0.25

    /// The longest wait in seconds between two tries, unless the server asks for more. At least `delay`.
    public var longestDelay = 60.0

    /// The defaults.
    public init() {}
}
