internal import DequeModule

/// The next steps of a run. A value, so that the order can be tested without files and servers.
///
/// Steps wait here until the run may begin them, files wait in the database until all steps are begun, and
/// entries come into the database while the source is listed.
struct MirrorAgenda<Step> {
    /// The next action of the run.
    enum Action {
        /// Begin a step.
        case begin(Step)
        /// Read files from the database that wait after a turn, and make steps of them.
        case read(after: Int64)
        /// Begin to wait for the listing, which may add files.
        case awaitListing
        /// Wait until a step ends, or the listing tells of files.
        case wait
        /// Nothing is left.
        case end
    }

    private enum Supply {
        /// There may be files that wait in the database.
        case unread
        /// The database has none, but the listing may add some; nothing waits for that yet.
        case empty
        /// As `empty`, and a task waits for the listing.
        case awaited
        /// All files were read.
        case exhausted
    }

    private var waiting: Deque<Step> = []
    private var running = 0
    private var supply = Supply.unread
    private var turn: Int64 = 0

    /// True if nothing runs or waits.
    var isAtRest: Bool { running == 0 && waiting.isEmpty }

    /// Decides what to do next, and counts on that being done.
    ///
    /// - Parameter most: The number of steps that may run at a time.
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

    /// Takes what was read from the database.
    ///
    /// - Parameters:
    ///   - steps: The steps for the files that were read.
    ///   - last: The turn of the last of them; `nil` if none waits.
    ///   - isAll: True if the listing was over before the database was read.
    mutating func add(_ steps: [Step], last: Int64?, isAll: Bool) {
        if let last {
            turn = last
            waiting += steps
        } else {
            supply = isAll ? .exhausted : .empty
        }
    }

    /// Takes the end of a step.
    ///
    /// - Parameters:
    ///   - urgent: Steps that follow from it and go first: files to fetch.
    ///   - others: Steps that follow from it and go last: questions, as they have had a turn.
    mutating func end(followedBy urgent: [Step], later others: [Step]) {
        running -= 1
        for step in urgent.reversed() { waiting.prepend(step) }
        waiting += others
    }

    /// Takes the listing's signal: it has added files, or is over.
    mutating func listingHasChanged() {
        supply = .unread
    }

    /// Begins nothing more; what runs ends.
    mutating func stop() {
        waiting = []
        supply = .exhausted
    }
}
