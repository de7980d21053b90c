/// The number of connections that fetch one file.
public enum SegmentCount: Sendable, Hashable, Codable {
    /// As many connections as end the download sooner, by the measured speed and the measured time to set up
    /// a connection; at most as many as the caps allow.
    case automatic
    /// At most this many connections, 1 or more; fewer where the caps allow fewer.
    case fixed(Int)

    /// Returns the most connections that a file with `missing` missing bytes gets.
    ///
    /// - Parameters:
    ///   - missing: The bytes that are not on disk yet.
    ///   - minimum: The smallest segment in bytes.
    func connections(missing: Int64, minimum: Int64, limits: Limits) -> Int {
        switch self {
        case .fixed(let count): Int(max(1, min(Int64(count), missing / minimum)))
        case .automatic: min(limits.connections, limits.connectionsPerHost)
        }
    }
}

/// The order in which the bytes of one file are fetched.
public enum SegmentOrder: String, Sendable, Hashable, Codable, CaseIterable {
    /// The order in which the download ends soonest.
    case fastest
    /// The first bytes first, in pieces of at most 4 MiB (or ``Configuration/minimumSegmentSize``, if that is
    /// more), so that a video can be watched while it comes.
    ///
    /// It costs a request for each piece. Until the file is complete it has the name of the part file,
    /// `NAME.part`.
    case inOrder
}

/// The number of files that are downloaded at the same time.
public enum FileCount: Sendable, Hashable, Codable, ExpressibleByIntegerLiteral {
    /// Four large files. For small files, of which the wait for the answer is most, as many more as keep the
    /// connections busy that the caps allow.
    case automatic
    /// At most this many files, 1 or more.
    case fixed(Int)

    /// Creates a fixed count.
    public init(integerLiteral value: Int) { self = .fixed(value) }

    /// The fixed count; `nil` for `automatic`.
    package var fixed: Int? {
        guard case .fixed(let count) = self else { return nil }
        return count
    }
}

/// The action if another file has the final name.
///
/// A file that is the one to download counts as done, whatever the action: it has the caller's digests; or
/// an earlier run completed it, and the server's validators are still the same; or it has the length and the
/// date of the server's file, or the digest that the server sends.
public enum ExistingFilePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Fail before a byte of the file is written.
    case fail
    /// Replace the file, in one step, when the download is complete.
    case replace
    /// Take the first free name of `name.1.ext`, `name.2.ext` and so on.
    case rename
    /// Leave the file, and count the download as complete, unless a digest or the server's length tells that
    /// it is not the file.
    case skip
    /// Replace the file, in one step, if the server's file is younger or has another length.
    case update

    /// True if a new file takes the name of the old one.
    package var replaces: Bool { self == .replace || self == .update }
}

/// The rule that names a file in a directory.
public enum FileNaming: String, Sendable, Hashable, Codable, CaseIterable {
    /// The name in Content-Disposition (RFC 6266), or else the last part of the URL's path; of a URL without
    /// one, that of the URL that answered after redirects.
    case server
    /// The name in Content-Disposition, or else the last part of the path of the URL that answered after
    /// redirects, without its query; `index.html` if its path has none.
    case finalURL
    /// The last part of the URL's path, even if the server sends another name; of a URL without one, that of
    /// the URL that answered after redirects.
    case url
    /// The SHA-256 of the URL in hexadecimal, with the ending of the URL's path: no two URLs share a name.
    case urlDigest
    /// The MD5 of the URL in hexadecimal, with the ending of the URL's path, as older download managers named
    /// files. Two URLs of one name can be made on purpose: use ``urlDigest`` for URLs of others.
    case urlMD5

    /// True if the name follows from the URL as a whole.
    var isDigest: Bool { self == .urlDigest || self == .urlMD5 }
}

/// The events that a checkpoint survives.
public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Power cuts and kernel crashes: data is synced to the disk before the manifest claims it.
    case power
    /// Only the end of the process; after a reboot no bytes are trusted.
    case process
}

/// The order in which waiting files start.
public enum QueueOrder: String, Sendable, Hashable, Codable, CaseIterable {
    /// The file that was added first starts first.
    case fifo
    /// The file that was added last starts first.
    case lifo
}

/// The retries after temporary failures.
public struct RetryPolicy: Sendable, Hashable {
    /// The most retries in a row without a byte of progress. 0 or more.
    public var retries = 7

    /// The most retries as long as a host has answered nothing, and its name cannot be resolved or it refuses
    /// connections: the URL is probably mistyped. `nil` for ``retries``, which is the most in any case. 0 or
    /// more.
    public var retriesAtStart: Int? = 2

    /// The wait before the first retry, doubled for each further one, with jitter. More than 0.
    public var delay = Duration.milliseconds(250)

    /// The longest wait between two tries, unless the server asks for more. At least `delay`, at most a day.
    public var longestDelay = Duration.seconds(60)

    /// The time for which a host that has answered before, and to which no connection can be made, or which
    /// ends each at once, is tried beyond ``retries``: zero or more, at most a day. Zero for none, as is any
    /// with no ``retries``. Two minutes by default, because a router that restarts is back by then.
    public var longestOutage = Duration.seconds(120)

    /// The longest wait that a busy host may ask for (`Retry-After`): for a longer one the download fails at
    /// once. More than 0, at most a day; `nil` for no limit but the hour that counts of any such wait.
    public var longestRequestedWait: Duration?

    /// Creates the default policy.
    public init() {}
}
