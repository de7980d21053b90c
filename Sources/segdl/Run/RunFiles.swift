import SegmentedDL
internal import SegmentedDLMirror
import SegmentedDLSupport

/// The files of a run: the started ones, and a tally of the ended ones.
final class RunFiles: Sendable {
    private struct Started: Sendable {
        let url: String
        let handle: DownloadHandle
    }

    private struct State: Sendable {
        var started: [Int: Started] = [:]
        var tally = FileTally()
    }

    private let count: Int
    private let state = Lock(State())

    /// - Parameter count: The number of files in the run.
    init(count: Int) {
        self.count = count
    }

    func start(_ id: Int, _ url: String, _ handle: DownloadHandle) {
        state.withLock { $0.started[id] = Started(url: url, handle: handle) }
    }

    /// The downloads that have not ended.
    var handles: [Int: DownloadHandle] { state.withLock { $0.started.mapValues(\.handle) } }

    /// Counts an ended file, and drops everything else about it, because a run may have very many files.
    ///
    /// - Parameters:
    ///   - url: The URL to show for a file without a handle.
    ///   - last: The last progress of such a file; `nil` if it never started.
    /// - Returns: The final state of the file.
    func end(_ id: Int, _ outcome: FileOutcome, url: String, _ last: DownloadProgress? = nil) -> FileSnapshot
    {
        let started = state.withLock { $0.started[id] }
        let progress =
            started?.handle.currentProgress ?? last
            ?? DownloadProgress(state: outcome.exitStatus == 0 ? .completed : .failed)
        state.withLock { state in
            state.started[id] = nil
            state.tally.add(outcome, progress)
        }
        return FileSnapshot(id: id, url: started?.url ?? url, progress: progress)
    }

    var exitStatus: Int32 { state.withLock { $0.tally.exitStatus(of: count) } }

    /// The active files, and the totals of all others, of which there may be very many.
    var snapshot: RunSnapshot {
        let (started, ended) = state.withLock { ($0.started, $0.tally) }
        let files = started.filter { $0.value.handle.state != .queued }.sorted { $0.key < $1.key }.map {
            id, file in
            FileSnapshot(id: id, url: file.url, progress: file.handle.currentProgress)
        }
        var tally = ended
        tally.waiting = count - files.count - ended.completed - ended.failed - ended.cancelled
        return RunSnapshot(files, tally)
    }
}

/// A snapshot of a run.
struct RunSnapshot: Sendable {
    let overall: Overall
    let files: [FileSnapshot]

    /// - Parameter tally: The files of the run that are not in `files`.
    init(_ files: [FileSnapshot], _ tally: FileTally) {
        self.init(Overall(files, unlisted: tally), files)
    }

    init(_ overall: Overall, _ files: [FileSnapshot]) {
        self.overall = overall
        self.files = files
    }
}
