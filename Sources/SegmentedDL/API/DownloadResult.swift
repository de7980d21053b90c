public import SystemPackage

/// The result of a successful download.
public struct DownloadResult: Sendable, Hashable {
    /// The kind of success.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Outcome: Sendable, Hashable {
        /// The file was downloaded, in this run or in several.
        case downloaded
        /// A file with that name existed, and the policy was to keep it.
        case skipped
        /// The server reported that the existing file has not changed (304). Only in a mirror.
        case unchanged
    }

    /// The kind of success.
    public var outcome: Outcome
    /// The final path; `nil` if the bytes were written to a descriptor.
    public var path: FilePath?
    /// The file's length in bytes.
    public var length: Int64
    /// Bytes that this run wrote; less than `length` after a resume.
    public var bytesWritten: Int64
    /// The duration of this run, excluding the time in the queue.
    public var duration: Duration
    /// The maximum number of simultaneously active connections.
    public var connections: Int
    /// The number of connections opened, not counting reused ones.
    public var connectionsOpened = 0
    /// Bytes of bodies that this run received; more than `bytesWritten` if some were received twice or
    /// discarded.
    public var bytesReceived: Int64 = 0
    /// The main limit of this run's speed; `nil` if unknown, as for a very short download.
    public var bottleneck: Bottleneck?
    /// The digests that were computed and match, with their origins: the caller's, then the server's.
    public var proofs: [DigestProof]
    /// False if nothing proves that the file is complete: the server sent no length and ended the body by
    /// closing the connection, without TLS and without a digest (RFC 9112, section 6.3).
    public var isEndProven = true

    /// The server's first response in this run, with its header fields and the final URL; `nil` if no request
    /// was sent.
    public var response: ResponseInfo?

    /// True if the file was assembled from several sources, and no digest shows whether they match.
    package var isMixedUnproven = false

    /// The Content-Type of a web page that the server sent although neither the URL nor the file name
    /// suggests a page: it may be a login, error or quota page. `nil` for all other content.
    public var page: String?

    /// True if a mirror's file replaced an earlier one.
    package var isReplacement = false

    /// True if the file existed, and was kept because it is newer than the server's.
    package var isYounger = false

    /// Creates a result from its parts; `verified` contains the digests that the caller listed.
    public init(
        outcome: Outcome, path: FilePath?, length: Int64, bytesWritten: Int64, duration: Duration,
        connections: Int, verified: [Checksum] = []
    ) {
        self.outcome = outcome
        self.path = path
        self.length = length
        self.bytesWritten = bytesWritten
        self.duration = duration
        self.connections = connections
        proofs = verified.map { DigestProof($0, isRequested: true) }
    }

    /// The digests of the file that were computed and match: the caller's, then the server's.
    public var verified: [Checksum] { proofs.filter { $0.parts == nil }.map(\.checksum) }
}
