public import SegmentedDL

/// An event of a download in a queue.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum QueueEvent: Sendable, Hashable {
    /// The download was added.
    case added(Receipt)
    /// The state of the download changed.
    case changed(Receipt, from: DownloadState)
    /// The download has a free slot, but waits for something else (``Receipt/hold``).
    case held(Receipt)
    /// The receipt of the download changed, but its state did not, for example because its priority, source
    /// or path was changed, or it is no longer held. Streams of progress report the figures of a running
    /// download.
    case updated(Receipt)
    /// Downloads were moved to other positions; ``DownloadManager/receipts`` has the new order.
    case reordered
    /// The download was removed from the queue.
    case removed(Receipt)
}

/// The progress of a whole queue.
public struct QueueProgress: Sendable, Hashable {
    /// The number of downloads in each state; states without downloads are omitted.
    public var counts: [DownloadState: Int] = [:]
    /// The number of bytes on disk, over all downloads.
    public var bytesCompleted: Int64 = 0
    /// The sum of the lengths; a download of unknown length counts with its bytes on disk. Never less than
    /// ``bytesCompleted``.
    public var bytesTotal: Int64 = 0
    /// The number of downloads of unknown length, excluding those that have failed or were cancelled.
    public var unknownLengths = 0
    /// Bytes per second, over all running downloads.
    public var bytesPerSecond = 0.0
    /// The number of active connections.
    public var connections = 0

    /// The progress of an empty queue.
    public init() {}

    /// The number of downloads.
    public var downloads: Int { counts.values.reduce(0, +) }

    /// The completed fraction, from 0 to 1; `nil` while a length is unknown. Downloads that have failed or
    /// were cancelled are included if their lengths are known.
    public var fraction: Double? {
        guard bytesTotal > 0 || counts[.completed, default: 0] == downloads else { return nil }
        return DownloadProgress.fraction(bytesCompleted, of: unknownLengths == 0 ? bytesTotal : nil)
    }

    /// The time remaining at this speed; `nil` while a length is unknown or the speed is 0.
    public var timeRemaining: Duration? { secondsRemaining.map { .bounded(seconds: $0) } }

    /// The time remaining in seconds.
    package var secondsRemaining: Double? {
        guard unknownLengths == 0, bytesPerSecond >= 1 else { return nil }
        return Double(bytesTotal - bytesCompleted) / bytesPerSecond
    }

    /// Adds the figures of one download.
    public mutating func add(_ receipt: Receipt) {
        counts[receipt.state, default: 0] += 1
        bytesCompleted = Self.sum(bytesCompleted, receipt.bytesCompleted)
        let share = Share(receipt.state, receipt.bytesCompleted, of: receipt.bytesTotal)
        bytesTotal = Self.sum(bytesTotal, share.total)
        if share.isUnknown { unknownLengths += 1 }
        bytesPerSecond += receipt.bytesPerSecond
        connections += receipt.connections
    }

    /// The share of one download in the totals.
    struct Share {
        let total: Int64
        let isUnknown: Bool

        init(_ state: DownloadState, _ completed: Int64, of total: Int64?) {
            self.total = max(completed, total ?? 0)
            // Otherwise one failed request would hide the progress of all other downloads.
            isUnknown = total == nil && state != .failed && state != .cancelled
        }
    }

    /// Returns the sum, at most `Int64.max`: two absurd lengths from servers must not crash the process.
    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, isOver) = left.addingReportingOverflow(right)
        return isOver ? .max : sum
    }
}
