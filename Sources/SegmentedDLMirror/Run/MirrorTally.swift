internal import SegmentedDL
import SegmentedDLSupport

/// Counts what becomes of a mirror's files, and says when it is to give up.
final class MirrorTally: Sendable {
    private let state = Lock(MirrorReport())
    private let cut = Lock(false)
    private let policy: MirrorJob.FailurePolicy

    init(_ policy: MirrorJob.FailurePolicy) {
        self.policy = policy
    }

    var report: MirrorReport { state.withLock { $0 } }

    /// Whether a file was cancelled by somebody else than the mirror's task: by its handle, or as the downloader was shut down.
    var isCut: Bool { cut.withLock { $0 } }

    /// Whether the mirror is to end: there have been as many failures as there may be, or it was cut.
    var isOver: Bool {
        if isCut { return true }
        guard case .stop(let most) = policy else { return false }
        return state.withLock { $0.failed } >= most
    }

    func add(_ results: some Sequence<DownloadResult>) {
        state.withLock { report in
            for result in results { report.add(result) }
        }
    }

    /// Takes over what is there in the end, of all starts of a run.
    func settle(files: Int, bytes: Int64) {
        state.withLock { report in
            report.skipped = max(report.skipped, files - report.completed)
            report.bytes = max(report.bytes, bytes)
        }
    }

    /// A file was cancelled. If that is because the mirror's task was, it says nothing new.
    func fileWasCancelled() {
        if !Task.isCancelled { cut.withLock { $0 = true } }
    }

    func addDeleted() {
        state.withLock { $0.deleted += 1 }
    }

    func add(_ failure: MirrorReport.Failure) {
        state.withLock { $0.add(failure) }
    }
}
