internal import SegmentedDL
import SegmentedDLSupport

/// The state of a listing, which the listing's task changes and the run waits for.
final class ListingProgress: Sendable {
    private struct State {
        var files = 0
        /// Files that the run has taken from the database.
        var taken = 0
        /// Files of other shards.
        var others = 0
        var earlier = 0
        var repeated = 0
        var failures = 0
        /// The directories, with a slash at their ends, whose files are not known; `nil` if some may be
        /// anywhere.
        var unknown: Set<String>? = []
        /// How often files were added, and how often when the run last had nothing left to do.
        var additions = 0
        var additionsAtRest: Int?
        var mayMissDirectories = false
        /// Directories that files turned out to be.
        var directories: [ListingWalk.Directory] = []
        var publication: Publication?
        var isOver = false
        var error: (any Error)?
    }

    private let state = Lock(State())
    private let changed = Signal()
    private let room = Signal()
    private let rested = Signal()

    /// Returns when there may be new files, or the listing is over. One task may wait at a time.
    func waitForChange() async {
        await changed.wait()
    }

    /// Returns when fewer files than `ahead` wait for the run. One task may wait at a time; when it is
    /// cancelled, there is room.
    func waitForRoom(ahead: Int) async {
        while state.withLock({ $0.files - $0.taken >= ahead }), await room.wait() {}
    }

    /// The number of files that were listed in this start, of this shard.
    var files: Int { state.withLock { $0.files } }
    /// True if the source names no file at all, of any shard.
    var isEmpty: Bool { state.withLock { $0.files + $0.others == 0 } }
    /// The number of entries that were the same files as others.
    var repeated: Int { state.withLock { $0.repeated } }
    /// True if no further files come.
    var isOver: Bool { state.withLock { $0.isOver } }
    /// The error that ended the listing before the source's end.
    var error: (any Error)? { state.withLock { $0.error } }
    /// True if the listing came to the source's end.
    var isThrough: Bool { state.withLock { $0.isOver && $0.error == nil } }
    /// The number of the source's entries that cannot be used.
    var failures: Int { state.withLock { $0.failures } }
    /// The directories, with a slash at their ends, whose files are not known; `nil` if some may be anywhere.
    var unknown: Set<String>? { state.withLock { $0.unknown } }

    /// The state for the mirror's events.
    func state(isComplete: Bool) -> MirrorListing {
        state.withLock { MirrorListing(files: $0.files, earlier: $0.earlier, isComplete: isComplete) }
    }

    /// Takes over a listing of an earlier start of the run.
    ///
    /// - Parameter completed: The number of its files that the earlier starts have completed.
    func resume(after completed: Int) {
        state.withLock { $0.earlier = completed }
    }

    /// Adds files that are in the database now.
    ///
    /// - Parameter repeated: The number of further entries that were the same files as others.
    func add(_ count: Int, repeated: Int = 0) {
        state.withLock { state in
            state.files += count
            state.repeated += repeated
            state.additions += 1
        }
        changed.send()
    }

    // MARK: Hidden directories

    /// True if names that the filter has left out may be directories with wanted files.
    var mayMissDirectories: Bool { state.withLock { $0.mayMissDirectories } }

    /// Records that names that the filter has left out may be directories with wanted files.
    func missDirectories() {
        state.withLock { $0.mayMissDirectories = true }
    }

    /// How often files were added.
    var additions: Int { state.withLock { $0.additions } }

    /// Records that the run has nothing left to do.
    ///
    /// - Parameter additions: How often files had been added before the run found that none waits.
    func rest(after additions: Int) {
        state.withLock { $0.additionsAtRest = additions }
        rested.send()
    }

    /// Returns the directories that files turned out to be, once no file is left that may be one. One task
    /// may wait at a time.
    ///
    /// - Throws: `CancellationError`.
    func directories() async throws -> [ListingWalk.Directory] {
        while state.withLock({ $0.additionsAtRest != $0.additions }), await rested.wait() {}
        try Task.checkCancellation()
        return state.withLock { state in
            defer { state.directories = [] }
            return state.directories
        }
    }

    /// Records that a file is a directory.
    ///
    /// - Returns: False if it is too late to list it.
    func found(_ directory: ListingWalk.Directory) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.files -= 1
            state.directories.append(directory)
            return true
        }
    }

    /// Records that the run has taken files from the database.
    func take(_ count: Int) {
        state.withLock { $0.taken += count }
        room.send()
    }

    /// Adds a file of another shard.
    func addOther() {
        state.withLock { $0.others += 1 }
    }

    /// The names to give once all files are there; `nil` for none.
    var publication: Publication? { state.withLock { $0.publication } }

    /// Records the names to give once all files are there.
    func publish(_ publication: Publication?) {
        state.withLock { $0.publication = publication }
    }

    /// Records that an entry of the source cannot be used.
    func addFailure() {
        state.withLock { $0.failures += 1 }
    }

    /// Records of which files it is not known whether the source has them, because an entry cannot be used.
    func miss(_ entry: UnusableEntry) {
        state.withLock { state in
            guard let path = entry.path else { return state.unknown = nil }
            if path.utf8.last == UInt8(ascii: "/") { state.unknown?.insert(path) }
        }
    }

    /// Ends the listing.
    ///
    /// - Parameter error: The reason, if that is not the source's end.
    func end(_ error: (any Error)?) {
        state.withLock { state in
            state.isOver = true
            state.error = error
        }
        changed.finish()
    }
}
