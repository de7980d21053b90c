/// A download that was started: its progress, its result, and the ways to pause and to cancel it.
///
/// A handle that is let go does not stop its download; a paused one then waits for its downloader's end.
public struct DownloadHandle: Sendable {
    private let runs: DownloadRuns
    private let tracker: ProgressTracker

    init(runs: DownloadRuns, tracker: ProgressTracker) {
        self.runs = runs
        self.tracker = tracker
    }

    /// The download's present step.
    public var state: DownloadState { tracker.state }

    /// The download's present progress.
    public var currentProgress: DownloadProgress { tracker.progress() }

    /// The server's first answer; `nil` until it has come, or if no server is asked.
    public var response: ResponseInfo? { tracker.response }

    /// Returns the progress at regular times until the download has ended; the last element is of a final
    /// state.
    ///
    /// Only the newest element is kept for a slow reader.
    ///
    /// - Parameter interval: The time between two elements, a hundredth of a second if it is shorter; one
    ///   that equals the last is left out.
    public func progress(every interval: Duration = .milliseconds(500)) -> AsyncStream<DownloadProgress> {
        let interval = interval.atLeastShortest
        let (stream, continuation) = AsyncStream.makeStream(
            of: DownloadProgress.self, bufferingPolicy: .bufferingNewest(1))
        let ticker = Task { [tracker, runs] in
            var last: DownloadProgress?
            while !Task.isCancelled {
                let progress = tracker.progress()
                if progress != last { continuation.yield(progress) }
                last = progress
                if progress.state.isFinal { break }
                // The next interval, or the end if it comes first.
                await withTaskGroup { group in
                    group.addTask { try? await Task.sleep(for: interval) }
                    group.addTask { _ = await runs.outcome() }
                    await group.next()
                    group.cancelAll()
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in ticker.cancel() }
        return stream
    }

    /// The finished download. Any number of tasks may wait for it, also while it is paused.
    ///
    /// A task that is cancelled stops waiting at once; the download and the other waiters go on.
    ///
    /// - Throws: `DownloadError`, with code `cancelled` after `cancel()`; `CancellationError` if the waiting
    ///   task was cancelled.
    public var result: DownloadResult {
        get async throws {
            guard let outcome = await runs.outcome() else { throw CancellationError() }
            return try Self.result(outcome)
        }
    }

    /// Waits as the download's owner: when the waiting task is cancelled, the download is, too, and this
    /// returns after its checkpoint.
    ///
    /// - Throws: As `result`.
    package func finish() async throws -> DownloadResult {
        let outcome = await withTaskCancellationHandler {
            await runs.finalOutcome()
        } onCancel: {
            runs.cancel()
        }
        return try Self.result(outcome)
    }

    /// Tells the cancellation of the download from that of the waiting task.
    private static func result(_ outcome: DownloadRuns.Outcome) throws -> DownloadResult {
        do {
            return try outcome.get()
        } catch is CancellationError where !Task.isCancelled {
            throw DownloadError.cancelled()
        }
    }

    /// Stops the download so that it waits for ``resume()``. Returns when its connections are closed and its
    /// checkpoint is on the disk.
    ///
    /// The download gives up its place: others start meanwhile. Nothing changes if it has ended, or if it
    /// goes to a descriptor, because the bytes that it has sent are gone.
    public func pause() async {
        await runs.pause()
    }

    /// Continues a paused download with the bytes on the disk. Its turn comes after all downloads that were
    /// started before. All other downloads stay as they are.
    ///
    /// The result counts the bytes and the time of the last run alone.
    public func resume() {
        runs.resume()
    }

    /// Stops the download with a checkpoint; the same request later resumes there. `result` returns when it
    /// is done.
    public func cancel() {
        runs.cancel()
    }
}
