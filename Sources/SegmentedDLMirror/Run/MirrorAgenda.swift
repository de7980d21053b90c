internal import DequeModule

/// The next steps of a run. A value type, so that the order can be tested without files and servers.
///
/// Steps are queued here until the run may begin them. Files are queued in the database until all steps have
/// begun. Entries are added to the database while the source is listed.
struct MirrorAgenda<Step> {
    /// The next action of the run.
    enum Action {
        /// Begin a step.
        case begin(Step)
        /// Read the files after a given turn from the database, and create steps for them.
        case read(after: Int64)
        /// Start waiting for the listing, which may add files.
        case awaitListing
        /// Wait until a step ends, or the listing signals new files.
        case wait
        /// Nothing is left.
        case end
    }

    private enum Supply {
        /// The database may contain unread files.
        case unread
        /// The database has no unread files, but the listing may add some, and no task is waiting for it yet.
        case empty
        /// Like `empty`, but a task is waiting for the listing.
        case awaited
        /// All files were read.
        case exhausted
    }

    private var waiting: Deque<Step> = []
    private var running = 0
    private var supply = Supply.unread
    private var turn: Int64 = 0

    /// True if no step is running or waiting.
    var isAtRest: Bool { running == 0 && waiting.isEmpty }

    /// Returns the next action, and records that the caller performs it.
    ///
    /// - Parameter most: The maximum number of concurrent steps.
    mutating func next(atMost most: Int) -> Action {
        if running < most, let step = waiting.popFirst() {
            running += 1
            return .begin(step)
        }
        guard waiting.isEmpty else { return .wait }
        switch supply {
        case .unread: return .read(after: turn)
        case .empty:
            supply = .awaited
            return .awaitListing
        case .awaited: return .wait
        case .exhausted: return running == 0 ? .end : .wait
        }
    }

    /// Removes the next waiting step if it can be part of the one that was begun last.
    ///
    /// - Parameter part: Returns that part; `nil` if the step must begin separately.
    mutating func take<Part>(_ part: (Step) -> Part?) -> Part? {
        guard let next = waiting.first, let part = part(next) else { return nil }
        waiting.removeFirst()
        return part
    }

    /// Adds the files that were read from the database.
    ///
    /// - Parameters:
    ///   - steps: The steps for the files that were read.
    ///   - last: The turn of the last file; `nil` if none was read.
    ///   - isAll: True if the listing had ended before the database was read.
    mutating func add(_ steps: [Step], last: Int64?, isAll: Bool) {
        if let last {
            turn = last
            waiting += steps
        } else {
            supply = isAll ? .exhausted : .empty
        }
    }

    /// Records that a step has ended.
    ///
    /// - Parameters:
    ///   - urgent: Subsequent steps that run first: files to fetch.
    ///   - others: Subsequent steps that run last: questions, which have had a turn already.
    mutating func end(followedBy urgent: [Step], later others: [Step]) {
        running -= 1
        for step in urgent.reversed() { waiting.prepend(step) }
        waiting += others
    }

    /// Records that the listing has added files or ended.
    mutating func listingHasChanged() {
        supply = .unread
    }

    /// Begins no further steps; running ones continue to their end.
    mutating func stop() {
        waiting = []
        supply = .exhausted
    }
}
