/// The state of a download.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum DownloadState: String, Sendable, Hashable, Codable, CaseIterable, CustomStringConvertible {
    /// Waiting to start.
    case queued
    /// The first request is in progress.
    case probing
    /// Bytes arrive.
    case downloading
    /// Failed, and will be retried automatically at a known time. Only in a `DownloadManager`.
    case retrying
    /// Waiting to be resumed.
    case paused
    /// The checksum is being computed.
    case verifying
    /// The file is being renamed to its final name.
    case finalizing
    /// Complete, under its final name.
    case completed
    /// Ended by an error.
    case failed
    /// Ended by the caller.
    case cancelled

    /// The name of the state: its raw value.
    public var description: String { rawValue }

    /// True if only a call can change the state: `completed`, `failed` and `cancelled`.
    public var isFinal: Bool { self == .completed || self == .failed || self == .cancelled }
}

/// The progress of a download.
public struct DownloadProgress: Sendable, Hashable {
    /// An active segment.
    public struct ActiveSegment: Sendable, Hashable {
        /// The offset of its first byte.
        public var start: Int64
        /// The offset after the last byte received.
        public var position: Int64
        /// The offset after its last byte.
        public var end: Int64

        /// Creates a segment from its offsets, in bytes.
        public init(start: Int64, position: Int64, end: Int64) {
            self.start = start
            self.position = position
            self.end = end
        }
    }

    /// The state of the download.
    public var state: DownloadState
    /// The file's name; `nil` until it is known.
    public var name: String?
    /// Bytes on disk.
    public var bytesCompleted: Int64
    /// The file's length in bytes; `nil` while unknown.
    public var bytesTotal: Int64?
    /// Bytes per second, averaged over the last few seconds.
    public var bytesPerSecond: Double
    /// The time left at that speed; `nil` if the length or the speed is unknown.
    public var timeRemaining: Duration?
    /// The byte ranges on disk.
    public var completedRanges: [ByteRange]
    /// The active segments, ordered by their starts.
    public var activeSegments: [ActiveSegment]
    /// False if a later run of the download must start over, because the server sends no byte ranges or no
    /// length, or because the bytes are written to a descriptor.
    public var isResumable: Bool
    /// The overhead of this run.
    public var cost = TransferCost()
    /// The main limit of this run's speed so far; `nil` while unknown.
    public var bottleneck: Bottleneck?

    /// The latest redirect target of each source, in the order of the request's sources.
    package var targets: [Source] = []

    /// True if the download waits before its next retry.
    package var isBetweenTries = false

    /// Creates progress from its parts, for the tests and previews of programs that display it.
    public init(
        state: DownloadState, name: String? = nil, bytesCompleted: Int64 = 0, bytesTotal: Int64? = nil,
        bytesPerSecond: Double = 0, timeRemaining: Duration? = nil, completedRanges: [ByteRange] = [],
        activeSegments: [ActiveSegment] = [], isResumable: Bool = true
    ) {
        self.state = state
        self.name = name
        self.bytesCompleted = bytesCompleted
        self.bytesTotal = bytesTotal
        self.bytesPerSecond = bytesPerSecond
        self.timeRemaining = timeRemaining
        self.completedRanges = completedRanges
        self.activeSegments = activeSegments
        self.isResumable = isResumable
    }

    /// The time left in seconds.
    package var secondsRemaining: Double? { timeRemaining?.seconds }

    /// The number of active connections.
    public var connections: Int { activeSegments.count }

    /// The completed fraction, from 0 to 1; `nil` while the length is unknown.
    public var fraction: Double? { Self.fraction(bytesCompleted, of: bytesTotal) }

    /// Returns the completed fraction; `nil` for an unknown total.
    package static func fraction(_ completed: Int64, of total: Int64?) -> Double? {
        total.map { $0 == 0 ? 1 : Double(completed) / Double($0) }
    }
}
