internal import SegmentedDL
import SegmentedDLSupport

/// Counts the outcomes of a mirror's files, sends its events, and decides when the mirror stops.
final class MirrorReporter: Sendable {
    private let counts = Lock(MirrorReport())
    /// True while failures are counted but not reported.
    private let isHolding = Lock(false)
    /// The number of files that were fetched in the pass over an earlier listing.
    private let caughtUp = Lock(0)
    private let interrupted = Lock(false)
    private let policy: MirrorJob.FailurePolicy
    private let channel: EventChannel<MirrorEvent>

    init(_ policy: MirrorJob.FailurePolicy, channel: EventChannel<MirrorEvent>) {
        self.policy = policy
        self.channel = channel
    }

    /// The counts so far, excluding how the run ended.
    var report: MirrorReport { counts.withLock { $0 } }

    /// True if a file was cancelled other than by the mirror's task: by its handle, or because the downloader
    /// was shut down.
    var wasInterrupted: Bool { interrupted.withLock { $0 } }

    /// True if the mirror must not begin any more files, because it was interrupted or has reached the
    /// maximum number of failures of its policy.
    var isOver: Bool {
        if wasInterrupted { return true }
        guard case .stop(let most) = policy else { return false }
        return counts.withLock { $0.failed } >= most
    }

    /// Sends an event. Returns when the reader has room for it.
    func send(_ event: MirrorEvent) async {
        await channel.send(event)
    }

    /// Counts complete files, and reports them.
    func complete(_ files: [(item: MirrorItem, result: DownloadResult)]) async {
        counts.withLock { report in
            for file in files { report.add(file.result) }
        }
        await channel.send(files.map { .completed($0.item, $0.result) })
    }

    /// Counts received bytes of an incomplete file.
    func receive(_ bytes: Int64) {
        counts.withLock { $0.bytesReceived += bytes }
    }

    /// Counts a failure, and reports it.
    func fail(_ failure: MirrorReport.Failure) async {
        counts.withLock { $0.add(failure) }
        if !isHolding.withLock({ $0 }) { await channel.send(.failed(failure)) }
    }

    // MARK: The pass over an earlier listing

    /// Counts failures from now on without reporting them.
    func holdFailures() { isHolding.withLock { $0 = true } }

    /// Reports the failures held so far; later ones are reported immediately.
    func releaseFailures() async {
        isHolding.withLock { $0 = false }
        await channel.send(report.failures.map { .failed($0) })
    }

    /// Discards the failures held so far, and resets the counts to zero.
    func beginAgain() {
        isHolding.withLock { $0 = false }
        let before = counts.withLock { report in
            defer {
                let received = report.bytesReceived
                report = MirrorReport()
                report.bytesReceived = received
            }
            return report.completed
        }
        caughtUp.withLock { $0 = before }
    }

    /// Counts files as fetched that were fetched in the pass over an earlier listing and found present in
    /// this pass.
    ///
    /// - Parameter isThrough: True if this pass has processed the whole source.
    func addCaughtUp(isThrough: Bool) {
        let before = caughtUp.withLock { $0 }
        counts.withLock { report in
            let files = report.completed + report.skipped
            let fetched = report.completed + before
            report.completed = isThrough ? min(files, fetched) : fetched
            report.skipped = max(0, files - fetched)
        }
    }

    /// Counts a removed file, and reports it.
    func delete(_ path: RelativePath) async {
        counts.withLock { $0.deleted += 1 }
        await channel.send(.deleted(path))
    }

    /// Counts the files that the source no longer has and that are kept.
    func found(gone: Int?) {
        counts.withLock { $0.gone = gone }
    }

    /// Ends the mirror because its downloader was shut down. This is reported only once, because the error is
    /// the same for all files.
    func downloaderWasShutDown(_ error: DownloadError) async {
        let isKnown = interrupted.withLock { wasInterrupted in
            defer { wasInterrupted = true }
            return wasInterrupted
        }
        if !isKnown { await fail(MirrorReport.Failure(error)) }
    }

    /// Records that a file was cancelled. If the mirror's task was cancelled, this does not count as an
    /// interruption.
    func fileWasCancelled() {
        if !Task.isCancelled { interrupted.withLock { $0 = true } }
    }

    /// Adds the totals of earlier starts of the run.
    ///
    /// - Parameters:
    ///   - files: The number of files that are present, from all starts of the run.
    ///   - bytes: The length of all of them.
    func addEarlierTotals(files: Int, bytes: Int64) {
        counts.withLock { report in
            report.skipped = max(report.skipped, files - report.completed)
            report.bytes = max(report.bytes, bytes)
        }
    }
}
