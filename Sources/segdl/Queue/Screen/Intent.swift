internal import SegmentedDL
internal import SegmentedDLQueue

/// A change of the queue that the user wants.
enum Intent: Sendable, Hashable {
    case pause(Receipt.ID)
    /// Also tries a failed or cancelled download again.
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
