import Locks
import SegmentedDL

/// What is known of a run's files, and the renderer that shows it.
///
/// It has a thread of its own: a terminal that is stopped with Ctrl-S blocks who writes to it, and that must
/// not be a download.
actor Display {
    private let executor = QueueExecutor(label: "segdl.display")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private struct Started: Sendable {
        let url: String
        let handle: DownloadHandle
    }

    private var renderer: any ProgressRenderer
    private let count: Int
    /// Beside the actor, which a stopped terminal holds up.
    private let files = Mutex<[Int: Started]>([:])
    private var failure: Int32 = 0
    private var ended = UnlistedFiles()

    /// - Parameter count: How many files the run has.
    init(renderer: any ProgressRenderer, count: Int) {
        self.renderer = renderer
        self.count = count
    }

    nonisolated func started(_ id: Int, _ url: String, _ handle: DownloadHandle) {
        files.withLock { $0[id] = Started(url: url, handle: handle) }
    }

    nonisolated var handles: [Int: DownloadHandle] { files.withLock { $0.mapValues(\.handle) } }

    /// A file that was started has ended.
    func ended(_ id: Int, _ outcome: FileOutcome) {
        guard let file = files.withLock({ $0.removeValue(forKey: id) }) else { return }
        ended(FileSnapshot(id: id, url: file.url, progress: file.handle.currentProgress), outcome)
    }

    /// A file could not even be started.
    func ended(_ id: Int, _ url: String, _ outcome: FileOutcome) {
        ended(FileSnapshot(id: id, url: url, progress: DownloadProgress(state: .failed)), outcome)
    }

    private func ended(_ file: FileSnapshot, _ outcome: FileOutcome) {
        if outcome.exitStatus != 0 { failure = outcome.exitStatus }
        note(outcome)
        renderer.finished(file, outcome: outcome)
    }

    /// One file's failure is the command's; of several it is only said that some failed.
    var exitStatus: Int32 { count == 1 ? failure : failure == 0 ? 0 : 1 }

    private func note(_ outcome: FileOutcome) {
        switch outcome {
        case .done(let result):
            ended.completed += 1
            ended.bytes += result.length
        case .verified: ended.completed += 1
        case .failed: ended.failed += 1
        case .cancelled: ended.cancelled += 1
        }
    }

    func message(_ text: String) {
        renderer.message(text)
    }

    func update() {
        let files = snapshots()
        renderer.update(overall(files), files)
    }

    func end() {
        renderer.end(overall(snapshots()))
    }

    /// The files at work; those that wait are only counted, since there may be very many.
    private func snapshots() -> [FileSnapshot] {
        let started = files.withLock { $0 }
        return started.filter { $0.value.handle.state != .queued }.sorted { $0.key < $1.key }.map {
            id, file in
            FileSnapshot(id: id, url: file.url, progress: file.handle.currentProgress)
        }
    }

    private func overall(_ files: [FileSnapshot]) -> Overall {
        var unlisted = ended
        unlisted.waiting = count - files.count - ended.completed - ended.failed - ended.cancelled
        return Overall(files, unlisted: unlisted)
    }
}

extension FileOutcome {
    var exitStatus: Int32 {
        switch self {
        case .done, .verified: 0
        case .failed(_, _, let status): status
        case .cancelled: 130
        }
    }
}
