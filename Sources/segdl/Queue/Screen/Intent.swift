internal import SegmentedDL
internal import SegmentedDLQueue

/// What the user wants done with the queue.
enum Intent: Sendable, Hashable {
    case pause(Receipt.ID)
    /// Also tries again what failed or was cancelled.
    case start(Receipt.ID)
    case pauseAll
    case resumeAll
    case cancel(Receipt.ID)
    case remove(Receipt.ID)
    /// From the first byte on, whatever there is.
    case restart(Receipt.ID)
    case moveToFront(Receipt.ID)
    case moveToBack(Receipt.ID)
    case moveBefore(Receipt.ID, Receipt.ID)
    case quit
}
