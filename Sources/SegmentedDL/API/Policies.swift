/// The number of connections that fetch one file.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum SegmentCount: Sendable, Hashable, Codable {
    /// As many connections as make the download faster, judged by the measured speed and the time to open a
    /// connection; at most as many as the caps allow.
    case automatic
    /// At most this many connections, 1 or more; fewer if the caps allow fewer.
    case fixed(Int)

    /// Returns the maximum number of connections for a file with `missing` missing bytes.
    ///
    /// - Parameters:
    ///   - missing: The bytes that are not on disk yet.
    ///   - minimum: The minimum segment size in bytes.
    func connections(missing: Int64, minimum: Int64, limits: Limits) -> Int {
        switch self {
        case .fixed(let count): Int(max(1, min(Int64(count), missing / minimum)))
        case .automatic: min(limits.connections, limits.connectionsPerHost)
        }
    }
}

/// The order in which the bytes of one file are fetched.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum SegmentOrder: String, Sendable, Hashable, Codable, CaseIterable {
    /// The order that completes the download soonest.
    case fastest
    /// The first bytes first, in pieces of at most 4 MiB (or ``Configuration/minimumSegmentSize``, if that is
    /// more), so that a video can be watched during its download.
    ///
    /// Each piece costs a request. Until the file is complete, it is named `NAME.part`.
    case inOrder
}

/// The number of files that are downloaded at the same time.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum FileCount: Sendable, Hashable, Codable, ExpressibleByIntegerLiteral {
    /// Four large files. For small files, where waiting for responses dominates, as many more as are needed
    /// to keep all allowed connections busy. A file that has received no response and no connection for two
    /// seconds, because its host is silent, refuses requests or asks for a pause, does not count, up to 32
    /// such files.
    case automatic
    /// At most this many files, 1 or more. A file that waits for its host counts, too.
    case fixed(Int)

    /// Creates a fixed count.
    public init(integerLiteral value: Int) { self = .fixed(value) }

    /// The fixed count; `nil` for `automatic`.
    package var fixed: Int? {
        guard case .fixed(let count) = self else { return nil }
        return count
    }
}

/// The action if a file with the final name exists.
///
/// Regardless of the action, an existing file counts as complete if it matches the caller's digests, if an
/// earlier run completed it and the server's validators are unchanged, or if it has the length and date of
/// the server's file or the digest that the server sends.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ExistingFilePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Fail before any byte is written.
    case fail
    /// Replace the file atomically when the download is complete.
    case replace
    /// Use the first free name of `name.1.ext`, `name.2.ext` and so on.
    case rename
    /// Keep the file and count the download as complete, unless a digest or the server's length shows that it
    /// is a different file.
    case skip
    /// Replace the file atomically if the server's file is newer or has a different length.
    case update

    /// True if a new file replaces the existing one.
    package var replaces: Bool { self == .replace || self == .update }
}

/// The rule that names a file in a directory.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum FileNaming: String, Sendable, Hashable, Codable, CaseIterable {
    /// The name in Content-Disposition (RFC 6266), otherwise the last component of the URL's path; if that is
    /// empty, that of the final URL after redirects.
    case server
    /// The name in Content-Disposition, otherwise the last component of the path of the final URL after
    /// redirects, without its query; `index.html` if that is empty.
    case finalURL
    /// The last component of the URL's path, even if the server sends another name; if it is empty, that of
    /// the final URL after redirects.
    case url
    /// The SHA-256 of the URL in hexadecimal, with the extension of the URL's path: no two URLs result in the
    /// same name.
    case urlDigest
    /// The MD5 of the URL in hexadecimal, with the extension of the URL's path, as older download managers
    /// named files. Colliding URLs can be constructed, so use ``urlDigest`` for untrusted URLs.
    case urlMD5

    /// True if the name is derived from the whole URL.
    var isDigest: Bool { self == .urlDigest || self == .urlMD5 }
}

/// The events that a checkpoint survives.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Power failures and kernel crashes: data is synced to disk before the manifest records it.
    case power
    /// Only the exit of the process; after a reboot no bytes are trusted.
    case process
}

/// The order in which waiting files start.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum QueueOrder: String, Sendable, Hashable, Codable, CaseIterable {
    /// The file that was added first starts first.
    case fifo
    /// The file that was added last starts first.
    case lifo
}

/// The retry policy for transient failures.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of consecutive retries without progress. 0 or more.
    public var retries = 7

    /// The maximum number of retries for a host that has never responded and cannot be resolved or refuses
    /// connections: the URL is probably mistyped. `nil` for ``retries``, which is the upper limit in any
    /// case. 0 or more.
    public var retriesAtStart: Int? = 2

    /// The delay before the first retry, doubled for each further one, with jitter. More than 0.
    public var delay = Duration.milliseconds(250)

    /// The maximum delay between two attempts, unless the server requests a longer one. At least `delay`, at
    /// most a day.
    public var longestDelay = Duration.seconds(60)

    /// How long to continue beyond ``retries`` if a host that has responded before refuses connections, is
    /// unreachable, or closes each connection immediately. Zero or more, at most a day; ignored if
    /// ``retries`` is 0. Two minutes by default, which is enough for a router to restart.
    public var longestOutage = Duration.seconds(120)

    /// The maximum delay that a busy host may request (`Retry-After`): if it requests a longer one, the
    /// download fails immediately. More than 0, at most a day; `nil` for no limit. No more than an hour of
    /// any such delay is observed.
    public var longestRequestedWait: Duration?

    /// Creates the default policy.
    public init() {}
}
