/// What a download does.
public enum DownloadState: String, Sendable, Hashable, Codable, CaseIterable, CustomStringConvertible {
    /// It waits for its turn.
    case queued
    /// The first request is under way.
    case probing
    /// Bytes are coming in.
    case downloading
    /// It failed and will be tried again by itself, at a known time. Only in a `DownloadManager`.
    case retrying
    /// It waits to be resumed. Only in a `DownloadManager`.
    case paused
    /// The checksum is computed.
    case verifying
    /// The file gets its final name.
    case finalizing
    /// Done.
    case completed
    /// Given up for an error.
    case failed
    /// Given up because it was asked for.
    case cancelled

    /// The name, as in `docs/json-progress.md`.
    public var description: String { rawValue }

    /// Whether nothing more will happen.
    public var isFinal: Bool { self == .completed || self == .failed || self == .cancelled }
}

/// How far a download is.
public struct DownloadProgress: Sendable, Hashable {
    /// A segment at work.
    public struct ActiveSegment: Sendable, Hashable {
        /// The offset of its first byte.
        public var start: Int64
        /// The offset up to which it has received.
        public var position: Int64
        /// The offset behind its last byte.
        public var end: Int64

        /// A segment from its offsets.
        public init(start: Int64, position: Int64, end: Int64) {
            self.start = start
            self.position = position
            self.end = end
        }
    }

    /// What it does.
    public var state: DownloadState
    /// The file's name once it is known.
    public var name: String?
    /// Bytes on disk.
    public var bytesCompleted: Int64
    /// The file's length in bytes; `nil` while it is not known.
    public var bytesTotal: Int64?
    /// Bytes per second, averaged over the last seconds.
    public var bytesPerSecond: Double
    /// Seconds left at that speed; `nil` if it cannot be said.
    public var secondsRemaining: Double?
    /// The byte ranges on disk.
    public var completedRanges: [ByteRange]
    /// The segments at work, by their start.
    public var activeSegments: [ActiveSegment]

    /// A progress from its parts, as those who display it need for their tests and previews.
    public init(
        state: DownloadState, name: String? = nil, bytesCompleted: Int64 = 0, bytesTotal: Int64? = nil,
        bytesPerSecond: Double = 0, secondsRemaining: Double? = nil, completedRanges: [ByteRange] = [],
        activeSegments: [ActiveSegment] = []
    ) {
        self.state = state
        self.name = name
        self.bytesCompleted = bytesCompleted
        self.bytesTotal = bytesTotal
        self.bytesPerSecond = bytesPerSecond
        self.secondsRemaining = secondsRemaining
        self.completedRanges = completedRanges
        self.activeSegments = activeSegments
    }

    /// How many connections are at work.
    public var connections: Int { activeSegments.count }

    /// The part that is done, from 0 to 1; `nil` while the length is not known.
    public var fraction: Double? {
        guard let bytesTotal else { return nil }
        return bytesTotal == 0 ? 1 : Double(bytesCompleted) / Double(bytesTotal)
    }
}
