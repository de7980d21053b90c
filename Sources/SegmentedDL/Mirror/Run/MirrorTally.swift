import Locks

/// Counts what becomes of a mirror's files, and says when it is to give up.
final class MirrorTally: Sendable {
    private let state = Mutex(MirrorReport())
    private let policy: MirrorJob.FailurePolicy

    init(_ policy: MirrorJob.FailurePolicy) {
        self.policy = policy
    }

    var report: MirrorReport { state.withLock { $0 } }

    /// Whether there have been as many failures as there may be.
    var isOver: Bool {
        guard case .stop(let most) = policy else { return false }
        return state.withLock { $0.failed } >= most
    }

    func add(_ result: DownloadResult) {
        state.withLock { $0.add(result) }
    }

    /// Takes over what is there in the end, of all starts of a run.
    func settle(files: Int, bytes: Int64) {
        state.withLock { report in
            report.skipped = max(report.skipped, files - report.completed)
            report.bytes = max(report.bytes, bytes)
        }
    }

    func addDeleted() {
        state.withLock { $0.deleted += 1 }
    }

    func add(_ failure: MirrorReport.Failure) {
        state.withLock { $0.add(failure) }
    }
}
