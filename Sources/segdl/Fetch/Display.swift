import SegmentedDL

/// What is known of a run's files, and the renderer that shows it.
///
/// It has a thread of its own: a terminal that is stopped with Ctrl-S blocks who writes to it, and that must
/// not be a download.
actor Display {
    private let executor = QueueExecutor(label: "segdl.display")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private var renderer: any ProgressRenderer
    private let urls: [String]
    private(set) var handles: [Int: DownloadHandle] = [:]
    private(set) var statuses: [Int32]
    private var ended = UnlistedFiles()

    init(renderer: any ProgressRenderer, urls: [String]) {
        self.renderer = renderer
        self.urls = urls
        statuses = urls.map { _ in 0 }
    }

    func started(_ id: Int, _ handle: DownloadHandle) {
        handles[id] = handle
    }

    /// A file that could not even be started has no handle.
    func ended(_ id: Int, _ outcome: FileOutcome) {
        statuses[id] = outcome.exitStatus
        count(outcome)
        let progress = handles.removeValue(forKey: id)?.currentProgress ?? DownloadProgress(state: .failed)
        renderer.finished(FileSnapshot(id: id, url: urls[id], progress: progress), outcome: outcome)
    }

    private func count(_ outcome: FileOutcome) {
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
        handles.filter { $0.value.state != .queued }.sorted { $0.key < $1.key }.map { id, handle in
            FileSnapshot(id: id, url: urls[id], progress: handle.currentProgress)
        }
    }

    private func overall(_ files: [FileSnapshot]) -> Overall {
        var unlisted = ended
        unlisted.waiting = handles.count - files.count
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
