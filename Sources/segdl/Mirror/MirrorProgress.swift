import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SegmentedDLSupport

/// The current state of a mirror, updated by its events.
final class MirrorProgress: Sendable {
    /// The maximum number of files shown at the same time.
    private static let shownFiles = 5
    /// The time before an active file is shown, because one that ends immediately is not slow.
    private static let patience = Duration.seconds(1)

    private struct Running: Sendable {
        let id: Int
        let url: String
        let handle: DownloadHandle
        let since = ContinuousClock.now
    }

    private struct State: Sendable {
        var running: [RelativePath: Running] = [:]
        var nextID = 0
        var tally = FileTally()
        /// Bytes received for complete files.
        var received: Int64 = 0
        var listing: MirrorListing?
        var planned: [MirrorAction: Int] = [:]
        var meter = SpeedMeter(window: 5)
        var time = AttendedTime()
    }

    private let state = Lock(State())
    private let showsEach: Bool

    /// - Parameter showsEach: True if successful files are shown individually.
    init(showsEach: Bool) {
        self.showsEach = showsEach
        state.withLock { $0.time.look(at: Monotonic.now()) }
    }

    func start(_ item: MirrorItem, _ handle: DownloadHandle) {
        state.withLock { state in
            let id = state.running[item.shownPath]?.id ?? state.nextID
            if id == state.nextID { state.nextID += 1 }
            let url = item.sources.first?.description ?? ""
            state.running[item.shownPath] = Running(id: id, url: url, handle: handle)
        }
    }

    /// Counts an ended file.
    ///
    /// - Parameter url: The URL to show for a file that never started.
    /// - Returns: The ended file, if it should be shown.
    func end(
        _ path: RelativePath?, _ outcome: FileOutcome, url: @autoclosure () -> String
    ) -> FileSnapshot? {
        let progress = DownloadProgress(state: outcome.exitStatus == 0 ? .completed : .failed)
        let (running, id) = state.withLock { state -> (Running?, Int) in
            state.tally.add(outcome, progress)
            if case .done(let result) = outcome { state.received += result.bytesReceived }
            let running = path.flatMap { state.running.removeValue(forKey: $0) }
            if let running { return (running, running.id) }
            defer { state.nextID += 1 }
            return (nil, state.nextID)
        }
        if case .done = outcome, !showsEach { return nil }
        var file = FileSnapshot(
            id: id, url: running?.url ?? url(), progress: running?.handle.currentProgress ?? progress)
        file.progress.name = path?.text
        return file
    }

    func list(_ listing: MirrorListing) {
        state.withLock { $0.listing = listing }
    }

    /// Restarts the count, because the source is listed again.
    func listAgain() {
        state.withLock { state in
            (state.running, state.tally, state.listing) = ([:], FileTally(), nil)
        }
    }

    func plan(_ action: MirrorAction) {
        state.withLock { state in
            state.planned[action, default: 0] += 1
            if action != .delete { state.tally.completed += 1 }
        }
    }

    /// The number of files by action of a dry run.
    var planned: [MirrorAction: Int] { state.withLock { $0.planned } }

    /// The totals of all files, and the slowest ones.
    var snapshot: RunSnapshot {
        let now = state.withLock { $0 }
        let running = now.running.filter {
            let state = $0.value.handle.state
            return state != .queued && state != .failed
        }
        let files = running.map { path, file in
            var progress = file.handle.currentProgress
            progress.name = path.text
            return FileSnapshot(id: file.id, url: file.url, progress: progress)
        }
        var tally = now.tally
        tally.completed += now.listing?.earlier ?? 0
        let ended = tally.completed + tally.failed + tally.cancelled
        tally.waiting = max(0, (now.listing?.files ?? 0) - ended - files.count)
        tally.isListing = now.listing?.isComplete == false
        var overall = Overall(files, unlisted: tally)
        // Small files begin and end between two refreshes: their bytes are counted when they are complete.
        let bytes = now.received + files.reduce(0) { $0 + $1.progress.bytesCompleted }
        let (speed, seconds) = state.withLock { state in
            let now = Monotonic.now()
            state.time.look(at: now)
            state.meter.note(bytes, at: now)
            return (state.meter.bytesPerSecond, state.time.seconds)
        }
        overall.bytesPerSecond = speed
        overall.secondsByFiles = Self.secondsLeft(overall, ended: ended, in: seconds, files)
        let slow = Set(running.values.filter { .now - $0.since >= Self.patience }.map(\.id))
        let slowest = files.filter { $0.isAtWork && slow.contains($0.id) }.sorted(by: Self.isSlower)
        return RunSnapshot(overall, Array(slowest.prefix(Self.shownFiles)))
    }

    /// Returns the time remaining as predicted from the number of files so far, but at least that of the
    /// slowest file.
    private static func secondsLeft(
        _ overall: Overall, ended: Int, in seconds: Double, _ files: [FileSnapshot]
    ) -> Double? {
        guard ended > 0, !overall.isListing else { return nil }
        let each = seconds / Double(ended)
        let longest = files.compactMap(\.progress.secondsRemaining).max() ?? 0
        return max(longest, each * Double(overall.waiting + overall.active))
    }

    /// Returns true if one file is expected to end after the other, if that is known.
    private static func isSlower(_ one: FileSnapshot, _ other: FileSnapshot) -> Bool {
        let (left, right) = (one.progress.secondsRemaining ?? 0, other.progress.secondsRemaining ?? 0)
        return left == right ? one.id < other.id : left > right
    }
}
