public import SystemPackage

/// The result of a successful download.
public struct DownloadResult: Sendable, Hashable {
    /// The kind of success.
    public enum Outcome: Sendable, Hashable {
        /// The file was downloaded, in this run or in several.
        case downloaded
        /// A file with that name existed, and the policy was to leave it.
        case skipped
        /// The server reported that the existing file has not changed (304). Only in a mirror.
        case unchanged
    }

    /// The kind of success.
    public var outcome: Outcome
    /// The final path; `nil` if the bytes went to a descriptor.
    public var path: FilePath?
    /// The file's length in bytes.
    public var length: Int64
    /// Bytes that this run wrote; less than `length` after a resume.
    public var bytesWritten: Int64
    /// The duration of this run, without the wait for its turn.
    public var duration: Duration
    /// The most connections that were at work at the same time.
    public var connections: Int
    /// The number of connections opened, without those kept alive from earlier requests.
    public var connectionsOpened = 0
    /// Bytes of bodies that this run received; more than `bytesWritten` if some came twice or were not
    /// wanted.
    public var bytesReceived: Int64 = 0
    /// The thing that held this run back; `nil` if nothing shows it, as for a download that took a moment.
    public var bottleneck: Bottleneck?
    /// The digests that were computed and are right, with those who named them: the caller's, then the
    /// server's.
    public var proofs: [DigestProof]
    /// False if nothing proves that the file is complete: the server stated no length and ended the body by
    /// closing the connection, without TLS and without a digest (RFC 9112, section 6.3).
    public var isEndProven = true

    /// The server's first answer in this run, with the fields of its head and the URL that answered; `nil` if
    /// no server was asked.
    public var response: ResponseInfo?

    /// True if it is made of bytes of several sources, and no digest tells if they fit together.
    package var isMixedUnproven = false

    /// The Content-Type of a web page that the server sent where neither the URL nor the file's name is that
    /// of a page: it may be about a login, an error or a limit. `nil` for all other content.
    public var page: String?

    /// True if a mirror's file took the place of an earlier one.
    package var isReplacement = false

    /// True if the file was there before, and counts as done because it is younger than the server's.
    package var isYounger = false

    /// Creates a result from its parts; `verified` are digests that the caller named.
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

    /// The digests that were computed and are right: the caller's, then the server's.
    public var verified: [Checksum] { proofs.map(\.checksum) }
}
