public import SystemPackage

/// What became of a download that succeeded.
public struct DownloadResult: Sendable, Hashable {
    /// How it succeeded.
    public enum Outcome: Sendable, Hashable {
        /// The file was downloaded, in this run or in several.
        case downloaded
        /// A file of that name was there, and the policy was to leave it.
        case skipped
        /// The file that was there is still the server's, which has said so (304). Only in a mirror.
        case unchanged
    }

    /// How it succeeded.
    public var outcome: Outcome
    /// The final name; `nil` if the bytes went to a descriptor.
    public var path: FilePath?
    /// The file's length in bytes.
    public var length: Int64
    /// Bytes that this run wrote; less than `length` if it went on where another had stopped.
    public var bytesWritten: Int64
    /// How long this run took, without waiting for its turn.
    public var duration: Duration
    /// How many connections were at work at the same time, at most.
    public var connections: Int
    /// How many connections were opened; those kept alive from earlier requests do not count.
    public var connectionsOpened = 0
    /// Bytes of bodies that this run received; more than `bytesWritten` if some came twice or were not wanted.
    public var bytesReceived: Int64 = 0
    /// The digests that the file was found to have: the caller's, then the server's.
    public var verified: [Checksum]

    /// A result from its parts.
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
        self.verified = verified
    }
}
