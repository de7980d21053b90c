internal import SegmentedDL
import SegmentedDLSupport

/// The state of a listing. It is updated by the listing's task and awaited by the run.
final class ListingProgress: Sendable {
    private struct State {
        var files = 0
        /// The number of files that the run has read from the database.
        var taken = 0
        /// The number of files of other shards.
        var others = 0
        var earlier = 0
        var repeated = 0
        var failures = 0
        /// The directories, with a trailing slash, whose files are unknown; `nil` if any directory may have
        /// unknown files.
        var unknown: Set<String>? = []
        /// The number of times that files were added, and that number when the run last had nothing left to
        /// do.
        var additions = 0
        var additionsAtRest: Int?
        var mayMissDirectories = false
        /// Files that turned out to be directories.
        var directories: [ListingWalk.Directory] = []
        /// The paths of files whose names local directories have.
        var blocked: Set<String> = []
        var publication: Publication?
        var isOver = false
        var error: (any Error)?
    }

    private let state = Lock(State())
    private let changed = AsyncEvent()
    private let room = AsyncEvent()
    private let rested = AsyncEvent()

    /// Returns when new files may exist, or the listing has ended. Only one task may wait at a time.
    func waitForChange() async {
        await changed.wait()
    }

    /// Returns when fewer than `ahead` files are waiting for the run, or the task is cancelled. Only one task
    /// may wait at a time.
    func waitForRoom(ahead: Int) async {
        while state.withLock({ $0.files - $0.taken >= ahead }), await room.wait() {}
    }

    /// The number of files of this shard that were listed since this start.
    var files: Int { state.withLock { $0.files } }
    /// True if the source lists no files at all, in any shard.
    var isEmpty: Bool { state.withLock { $0.files + $0.others == 0 } }
    /// The number of entries that were the same file as another entry.
    var repeated: Int { state.withLock { $0.repeated } }
    /// True if no further files will be added.
    var isOver: Bool { state.withLock { $0.isOver } }
    /// The error that ended the listing before the source's end.
    var error: (any Error)? { state.withLock { $0.error } }
    /// True if the listing reached the source's end.
    var isThrough: Bool { state.withLock { $0.isOver && $0.error == nil } }
    /// The number of unusable entries of the source.
    var failures: Int { state.withLock { $0.failures } }
    /// The directories, with a trailing slash, whose files are unknown; `nil` if any directory may have
    /// unknown files.
    var unknown: Set<String>? { state.withLock { $0.unknown } }

    /// The state for the mirror's events.
    func state(isComplete: Bool) -> MirrorListing {
        state.withLock { MirrorListing(files: $0.files, earlier: $0.earlier, isComplete: isComplete) }
    }

    /// Continues a listing of an earlier start of the run.
    ///
    /// - Parameter completed: The number of its files completed by the earlier starts.
    func resume(after completed: Int) {
        state.withLock { $0.earlier = completed }
    }

    /// Adds files that are now in the database.
    ///
    /// - Parameter repeated: The number of further entries that were the same file as another entry.
    func add(_ count: Int, repeated: Int = 0) {
        state.withLock { state in
            state.files += count
            state.repeated += repeated
            state.additions += 1
        }
        changed.send()
    }

    // MARK: Hidden directories

    /// True if names excluded by the filter may be directories that contain wanted files.
    var mayMissDirectories: Bool { state.withLock { $0.mayMissDirectories } }

    /// Records that names excluded by the filter may be directories that contain wanted files.
    func missDirectories() {
        state.withLock { $0.mayMissDirectories = true }
    }

    /// The number of times that files were added.
    var additions: Int { state.withLock { $0.additions } }

    /// Records that the run has nothing left to do.
    ///
    /// - Parameter additions: The value of `additions` before the run found no files in the database.
    func rest(after additions: Int) {
        state.withLock { $0.additionsAtRest = additions }
        rested.send()
    }

    /// Returns the files that turned out to be directories, once no remaining file can be one. Only one task
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
    /// - Returns: False if it can no longer be listed.
    func found(_ directory: ListingWalk.Directory) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.files -= 1
            state.directories.append(directory)
            return true
        }
    }

    /// Records that the source has sent a file whose name a local directory has, which shows that it is not a
    /// directory of the source.
    func block(_ path: RelativePath) {
        state.withLock { _ = $0.blocked.insert(path.text) }
    }

    /// Returns true for a path whose file the source has, although a local directory has its name.
    func isBlocked(_ path: RelativePath) -> Bool { state.withLock { $0.blocked.contains(path.text) } }

    /// Records that the run has read files from the database.
    func take(_ count: Int) {
        state.withLock { $0.taken += count }
        room.send()
    }

    /// Adds a file of another shard.
    func addOther() {
        state.withLock { $0.others += 1 }
    }

    /// The final names to assign after all files are complete; `nil` for none.
    var publication: Publication? { state.withLock { $0.publication } }

    /// Records the final names to assign after all files are complete.
    func publish(_ publication: Publication?) {
        state.withLock { $0.publication = publication }
    }

    /// Records an unusable entry of the source.
    func addFailure() {
        state.withLock { $0.failures += 1 }
    }

    /// Records that, because of an unusable entry, it is unknown whether the source has certain files.
    func miss(_ entry: UnusableEntry) {
        state.withLock { state in
            guard let path = entry.path else { return state.unknown = nil }
            if path.utf8.last == UInt8(ascii: "/") { state.unknown?.insert(path) }
        }
    }

    /// Ends the listing.
    ///
    /// - Parameter error: The error that ended it before the source's end.
    func end(_ error: (any Error)?) {
        state.withLock { state in
            state.isOver = true
            state.error = error
        }
        changed.finish()
    }
}
