internal import SegmentedDL

/// What is known of a file that a mirror has put there.
struct CopyRecord: Equatable, Sendable {
    /// The URL that it came from, without credentials.
    var url: String
    /// What tells it from a file that someone else put or changed there.
    var identity: FileIdentity
    /// Its SHA-256 in lower-case hexadecimal.
    var sha256: String
    /// Another digest that it was found to have.
    var digest: Checksum?
    /// The server's ETag field, as it was sent.
    var etag: String?
    /// The server's Last-Modified field, as it was sent.
    var lastModified: String?
    /// The boot that it was written in, if it was not synced to the disk; `nil` if it was.
    var boot: String?
    /// The last run in which it was fetched, or the server said that it has not changed.
    var checked: Int64

    /// Whether it is known to have a digest.
    func has(_ checksum: Checksum) -> Bool { digest(checksum.algorithm) == checksum.hexadecimal }

    /// Its digest of an algorithm, if that is known.
    func digest(_ algorithm: Checksum.Algorithm) -> String? {
        algorithm == .sha256 ? sha256 : digest.flatMap { $0.algorithm == algorithm ? $0.hexadecimal : nil }
    }
}
