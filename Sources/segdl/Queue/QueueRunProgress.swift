import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SegmentedDLSupport
import SystemPackage

/// The progress of the run of a queue. The tally counts the downloads completed by this run, and all listed
/// ones that failed or were cancelled; one that was retried counts once.
final class QueueRunProgress: Sendable {
    /// A change to show.
    enum Change: Sendable {
        case ended(FileSnapshot, FileOutcome)
        case message(String)

        func show(in output: inout some ProgressRenderer) {
            switch self {
            case .ended(let file, let outcome): output.finished(file, outcome: outcome)
            case .message(let text): output.message(text)
            }
        }
    }

    private let tally = Lock(FileTally())
    private let shown = Lock(QueueProgress())

    /// Counts a changed download.
    ///
    /// - Returns: The change, if it should be shown.
    func change(_ receipt: Receipt) -> Change? {
        let file = FileSnapshot(receipt)
        switch receipt.state {
        case .completed: return end(file, .done(DownloadResult(receipt)))
        case .failed: return receipt.error.flatMap { end(file, FileOutcome($0)) }
        case .cancelled: return end(file, .cancelled)
        case .retrying:
            return receipt.error.map { .message("\($0.queueMessage) It will be retried automatically.") }
        case .paused: return .message("\(file.shownName) is paused.")
        case .queued, .probing, .downloading, .verifying, .finalizing: return nil
        }
    }

    private func end(_ file: FileSnapshot, _ outcome: FileOutcome) -> Change {
        tally.withLock { $0.add(outcome, file.progress) }
        return .ended(file, outcome)
    }

    func snapshot(of manager: DownloadManager) async -> RunSnapshot {
        let (active, transfers) = (await manager.activeReceipts, await manager.activeTransfers)
        let progress = await manager.progress
        shown.withLock { $0 = progress }
        return snapshot(active.map { FileSnapshot($0, transfers[$0.id]) }, progress)
    }

    /// Returns when a download is running, or the queue differs from the last snapshot.
    func waitForChange(of manager: DownloadManager) async {
        try? await manager.waitForChange(from: shown.withLock { $0 })
    }

    func snapshot(_ files: [FileSnapshot], _ progress: QueueProgress) -> RunSnapshot {
        var tally = tally.withLock { $0 }
        let unfinished: [DownloadState] = [
            .queued, .retrying, .paused, .probing, .downloading, .verifying, .finalizing,
        ]
        tally.failed = progress.counts[.failed, default: 0]
        tally.cancelled = progress.counts[.cancelled, default: 0]
        tally.waiting = unfinished.reduce(0) { $0 + progress.counts[$1, default: 0] } - files.count
        return RunSnapshot(files, tally)
    }
}

extension FileSnapshot {
    /// - Parameter transfer: The segments of a running download.
    init(_ receipt: Receipt, _ transfer: DownloadProgress? = nil) {
        self.init(
            id: Int(receipt.id.rawValue), url: receipt.source.description,
            progress: DownloadProgress(
                state: receipt.state, name: receipt.claimedPath?.lastComponent?.string,
                bytesCompleted: receipt.bytesCompleted, bytesTotal: receipt.bytesTotal,
                bytesPerSecond: receipt.bytesPerSecond, timeRemaining: receipt.timeRemaining,
                completedRanges: transfer?.completedRanges ?? [],
                activeSegments: transfer?.activeSegments ?? []))
    }
}

extension DownloadResult {
    /// Creates the result of a completed download over all its attempts, not only the last.
    init(_ receipt: Receipt) {
        let outcome: Outcome =
            switch receipt.found {
            case nil: .downloaded
            case .skipped: .skipped
            case .unchanged, .younger: .unchanged
            }
        self.init(
            outcome: outcome, path: receipt.claimedPath, length: receipt.bytesCompleted,
            bytesWritten: receipt.found == nil ? receipt.bytesCompleted : 0, duration: receipt.duration,
            connections: 0, verified: receipt.checksums)
        if !receipt.proofs.isEmpty { proofs = receipt.proofs }
        isYounger = receipt.found == .younger
    }
}
