internal import SegmentedDLSupport

/// A started download: its progress, its result, and the calls to pause and cancel it.
///
/// Releasing a handle does not stop its download; a paused download then remains paused until its downloader
/// shuts down.
public struct DownloadHandle: Sendable {
    private let runs: DownloadRuns
    private let tracker: ProgressTracker

    init(runs: DownloadRuns, tracker: ProgressTracker) {
        self.runs = runs
        self.tracker = tracker
    }

    /// The download's current state.
    public var state: DownloadState { tracker.state }

    /// The download's current progress.
    public var currentProgress: DownloadProgress { tracker.progress() }

    /// The server's first response; `nil` until it arrives, or if no request is sent.
    public var response: ResponseInfo? { tracker.response }

    /// Returns the progress at regular intervals until the download ends; the last element has a final state.
    ///
    /// A slow reader skips intermediate elements and gets the current progress.
    ///
    /// - Parameter interval: The time between two elements; less than 10 ms counts as 10 ms. An element equal
    ///   to the previous one is omitted.
    public func progress(every interval: Duration = .milliseconds(500)) -> AsyncStream<DownloadProgress> {
        .sampled(every: interval.atLeastShortest) { [tracker] in
            let progress = tracker.progress()
            return (progress, isLast: progress.state.isFinal)
        } until: { [runs] in
            _ = await runs.outcome()
        }
    }

    /// The result of the download. Any number of tasks may await it, even while the download is paused.
    ///
    /// A cancelled task stops waiting at once; the download and the other waiting tasks continue.
    ///
    /// - Throws: `DownloadError`, with code `cancelled` after `cancel()`; `CancellationError` if the waiting
    ///   task was cancelled.
    public var result: DownloadResult {
        get async throws {
            guard let outcome = await runs.outcome() else { throw CancellationError() }
            return try Self.result(outcome)
        }
    }

    /// Waits for the result as the download's owner: cancelling the waiting task also cancels the download,
    /// and the call returns after its checkpoint.
    ///
    /// - Throws: The errors of `result`.
    package func finish() async throws -> DownloadResult {
        let outcome = await withTaskCancellationHandler {
            await runs.finalOutcome()
        } onCancel: {
            runs.cancel()
        }
        return try Self.result(outcome)
    }

    /// Distinguishes cancellation of the download from that of the waiting task.
    private static func result(_ outcome: DownloadRuns.Outcome) throws -> DownloadResult {
        do {
            return try outcome.get()
        } catch is CancellationError where !Task.isCancelled {
            throw DownloadError.cancelled()
        }
    }

    /// Stops the download until ``resume()``. Returns when its connections are closed and its checkpoint is
    /// on disk.
    ///
    /// The download releases its slot, so that others can start. This has no effect if it has ended, or if it
    /// writes to a descriptor, because it could not be resumed.
    public func pause() async {
        await runs.pause()
    }

    /// Resumes a paused download with the bytes on disk. It starts after all downloads that were started
    /// earlier. Has no effect on any other download.
    ///
    /// The result's bytes and duration are those of the last run only.
    public func resume() {
        runs.resume()
    }

    /// Stops the download with a checkpoint; the same request later resumes there. `result` returns once it
    /// has stopped.
    public func cancel() {
        runs.cancel()
    }
}
