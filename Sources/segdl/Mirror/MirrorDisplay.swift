import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SegmentedDLSupport

/// What is known of a mirror, and the output that shows it.
///
/// As `Display` it has a thread of its own, and counts beside it: a stopped terminal holds up what is shown, and nothing
/// else.
actor MirrorDisplay {
    /// How many files are shown at a time.
    private static let most = 5
    /// How long a file has been on its way before it is shown.
    private static let patience = Duration.seconds(1)

    private struct Running: Sendable {
        let id: Int
        let url: String
        let handle: DownloadHandle
        let since = ContinuousClock.now
    }

    private struct State {
        var running: [RelativePath: Running] = [:]
        var nextID = 0
        var ended = UnlistedFiles()
        /// Bytes that came in for files that are complete.
        var received: Int64 = 0
        var listing: MirrorListing?
        var planned: [MirrorAction: Int] = [:]
    }

    private let executor = QueueExecutor(label: "segdl.display")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private var output: MirrorOutput
    private let state = Lock(State())
    private let began = ContinuousClock.now
    private var pace = MirrorPace()
    private nonisolated let showsEach: Bool

    init(_ output: MirrorOutput) {
        self.output = output
        showsEach = output.showsEach
    }

    nonisolated func started(_ item: MirrorItem, _ handle: DownloadHandle) {
        state.withLock { state in
            let id = state.running[item.path]?.id ?? state.nextID
            if id == state.nextID { state.nextID += 1 }
            let url = item.sources.first?.description ?? ""
            state.running[item.path] = Running(id: id, url: url, handle: handle)
        }
    }

    /// A file has ended.
    ///
    /// - Returns: What is to be shown of it, if anything is.
    nonisolated func ended(
        _ path: RelativePath?, _ outcome: FileOutcome, url: @autoclosure () -> String
    ) -> FileSnapshot? {
        let (running, id) = state.withLock { state -> (Running?, Int) in
            switch outcome {
            case .done(let result):
                state.ended.completed += 1
                state.ended.bytes += result.length
                state.received += result.bytesReceived
            case .verified: state.ended.completed += 1
            case .failed: state.ended.failed += 1
            case .cancelled: state.ended.cancelled += 1
            }
            let running = path.flatMap { state.running.removeValue(forKey: $0) }
            guard running == nil else { return (running, 0) }
            defer { state.nextID += 1 }
            return (nil, state.nextID)
        }
        if case .done = outcome, !showsEach { return nil }
        let progress =
            running?.handle.currentProgress
            ?? DownloadProgress(state: outcome.exitStatus == 0 ? .completed : .failed)
        var file = FileSnapshot(id: running?.id ?? id, url: running?.url ?? url(), progress: progress)
        file.progress.name = path?.text
        return file
    }

    nonisolated func listed(_ listing: MirrorListing) {
        state.withLock { $0.listing = listing }
    }

    nonisolated func planned(_ action: MirrorAction) {
        state.withLock { state in
            state.planned[action, default: 0] += 1
            if action != .delete { state.ended.completed += 1 }
        }
    }

    func deleted(_ path: RelativePath) {
        output.deleted(path)
    }

    func show(_ file: FileSnapshot, _ outcome: FileOutcome) {
        output.finished(file, outcome)
    }

    func message(_ text: String) {
        output.message(text)
    }

    func update() {
        var (running, ended, listing, received) = state.withLock {
            ($0.running, $0.ended, $0.listing, $0.received)
        }
        running = running.filter { $0.value.handle.state != .queued }
        let files = running.map { path, file in
            var progress = file.handle.currentProgress
            progress.name = path.text
            return FileSnapshot(id: file.id, url: file.url, progress: progress)
        }
        ended.completed += listing?.earlier ?? 0
        let over = ended.completed + ended.failed + ended.cancelled
        ended.waiting = max(0, (listing?.files ?? 0) - over - files.count)
        ended.isListing = listing?.isComplete == false
        var overall = Overall(files, unlisted: ended)
        // Small files come and go between two looks: their bytes count once they are there.
        pace.note(received + files.reduce(0) { $0 + $1.progress.bytesCompleted }, at: .now)
        overall.bytesPerSecond = pace.bytesPerSecond
        overall.secondsByFiles = secondsLeft(overall, over: over, files)
        // What is over in a moment is not slow.
        let long = Set(running.values.filter { .now - $0.since >= Self.patience }.map(\.id))
        let slowest = files.filter { $0.isAtWork && long.contains($0.id) }.sorted(by: Self.isSlower)
        output.update(overall, Array(slowest.prefix(Self.most)))
    }

    /// By how many files there have been so far, and never less than the slowest one needs.
    private func secondsLeft(_ overall: Overall, over: Int, _ files: [FileSnapshot]) -> Double? {
        guard over > 0, !overall.isListing else { return nil }
        let each = ByteFormat.seconds(ContinuousClock.now - began) / Double(over)
        let longest = files.compactMap(\.progress.secondsRemaining).max() ?? 0
        return max(longest, each * Double(overall.waiting + overall.active))
    }

    /// Whether one will end after the other, as far as that can be said.
    private static func isSlower(_ one: FileSnapshot, _ other: FileSnapshot) -> Bool {
        let (left, right) = (one.progress.secondsRemaining ?? 0, other.progress.secondsRemaining ?? 0)
        return left == right ? one.id < other.id : left > right
    }

    func end(_ report: MirrorReport) {
        output.end(report, planned: state.withLock { $0.planned })
    }
}
