import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SegmentedDLSupport

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

    private struct Files: Sendable {
        var started: [Int: Started] = [:]
        var ended = UnlistedFiles()
        /// Those that have ended, and are still to be shown.
        var untold: [(file: FileSnapshot, outcome: FileOutcome)] = []
        var failure: Int32 = 0
    }

    private var renderer: any ProgressRenderer
    private let count: Int
    /// Beside the actor, which a stopped terminal holds up.
    private let files = Lock(Files())
    private let bell: AsyncStream<Void>.Continuation
    /// Rings when files have ended that are to be shown; for one reader.
    nonisolated let rings: AsyncStream<Void>

    /// - Parameter count: How many files the run has.
    init(renderer: any ProgressRenderer, count: Int) {
        self.renderer = renderer
        self.count = count
        (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    nonisolated func started(_ id: Int, _ url: String, _ handle: DownloadHandle) {
        files.withLock { $0.started[id] = Started(url: url, handle: handle) }
    }

    nonisolated var handles: [Int: DownloadHandle] { files.withLock { $0.started.mapValues(\.handle) } }

    /// A file that was started has ended. Many may before they are shown, so nothing but what is shown is kept of it.
    nonisolated func ended(_ id: Int, _ outcome: FileOutcome) {
        guard let file = files.withLock({ $0.started.removeValue(forKey: id) }) else { return }
        ended(FileSnapshot(id: id, url: file.url, progress: file.handle.currentProgress), outcome)
    }

    /// A file has ended that may not even have been started.
    nonisolated func ended(_ id: Int, _ url: String, _ outcome: FileOutcome) {
        let started = files.withLock { $0.started.removeValue(forKey: id) }
        let state = outcome.exitStatus == 0 ? DownloadState.completed : .failed
        ended(
            FileSnapshot(
                id: id, url: started?.url ?? url,
                progress: started?.handle.currentProgress ?? DownloadProgress(state: state)), outcome)
    }

    private nonisolated func ended(_ file: FileSnapshot, _ outcome: FileOutcome) {
        files.withLock { files in
            if outcome.exitStatus != 0 { files.failure = outcome.exitStatus }
            files.ended.note(outcome)
            files.untold.append((file, outcome))
        }
        bell.yield()
    }

    /// No more files will end.
    nonisolated func allEnded() {
        bell.finish()
    }

    /// Shows the files that have ended.
    func tellEnded() {
        let untold = files.withLock { files in
            defer { files.untold = [] }
            return files.untold
        }
        for (file, outcome) in untold { renderer.finished(file, outcome: outcome) }
    }

    /// One file's failure is the command's; of several it is only said that some failed.
    nonisolated var exitStatus: Int32 {
        let failure = files.withLock { $0.failure }
        return count == 1 ? failure : failure == 0 ? 0 : 1
    }

    func message(_ text: String) {
        renderer.message(text)
    }

    func update() {
        tellEnded()
        let (files, ended) = snapshots()
        renderer.update(overall(files, ended), files)
    }

    func end() {
        tellEnded()
        let (files, ended) = snapshots()
        renderer.end(overall(files, ended))
    }

    /// The files at work; those that wait are only counted, since there may be very many.
    private func snapshots() -> ([FileSnapshot], UnlistedFiles) {
        let (started, ended) = files.withLock { ($0.started, $0.ended) }
        let files = started.filter { $0.value.handle.state != .queued }.sorted { $0.key < $1.key }.map {
            id, file in
            FileSnapshot(id: id, url: file.url, progress: file.handle.currentProgress)
        }
        return (files, ended)
    }

    private func overall(_ files: [FileSnapshot], _ ended: UnlistedFiles) -> Overall {
        var unlisted = ended
        unlisted.waiting = count - files.count - ended.completed - ended.failed - ended.cancelled
        return Overall(files, unlisted: unlisted)
    }
}

extension UnlistedFiles {
    fileprivate mutating func note(_ outcome: FileOutcome) {
        switch outcome {
        case .done(let result):
            completed += 1
            bytes += result.length
        case .verified: completed += 1
        case .failed: failed += 1
        case .cancelled: cancelled += 1
        }
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
