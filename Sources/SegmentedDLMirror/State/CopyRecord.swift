internal import SegmentedDL

/// The record of a file written by a mirror.
struct CopyRecord: Equatable, Sendable {
    /// The URL of the file's source, without credentials.
    var url: String
    /// The identity that distinguishes the file from one that another program wrote or changed.
    var identity: FileIdentity
    /// Its SHA-256 in lower-case hexadecimal.
    var sha256: String
    /// Another computed digest.
    var digest: Checksum?
    /// The server's ETag field, as received.
    var etag: String?
    /// The server's Last-Modified field, as received.
    var lastModified: String?
    /// The boot during which the file was written, if it was not synced to disk; `nil` if it was.
    var boot: String?
    /// The last run that fetched the file or found it unchanged on the server.
    var checked: Int64
    /// The origin of the digest that proves the file, as JSON; `nil` if nothing states one. It is stored, but
    /// read only with complete files.
    var proof: String?

    /// Returns true if the file is known to have this digest.
    func has(_ checksum: Checksum) -> Bool { digest(checksum.algorithm) == checksum.hexadecimal }

    /// Returns the file's digest of an algorithm; `nil` if it is unknown.
    func digest(_ algorithm: Checksum.Algorithm) -> String? {
        algorithm == .sha256 ? sha256 : digest.flatMap { $0.algorithm == algorithm ? $0.hexadecimal : nil }
    }
}
