internal import SegmentedDL
internal import SegmentedDLQueue

/// A change of the queue requested by the user.
enum Intent: Sendable, Hashable {
    case pause(Receipt.ID)
    /// Also retries a failed or cancelled download.
    case start(Receipt.ID)
    case pauseAll
    case resumeAll
    case cancel(Receipt.ID)
    case remove(Receipt.ID)
    /// Downloads again from the first byte.
    case restart(Receipt.ID)
    case moveToFront(Receipt.ID)
    case moveToBack(Receipt.ID)
    case moveBefore(Receipt.ID, Receipt.ID)
    case quit
}
