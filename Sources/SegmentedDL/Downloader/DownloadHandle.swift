/// A download that was started: its progress, its result, and the way to cancel it.
public struct DownloadHandle: Sendable {
    private let task: Task<DownloadResult, any Error>
    private let tracker: ProgressTracker

    init(task: Task<DownloadResult, any Error>, tracker: ProgressTracker) {
        self.task = task
        self.tracker = tracker
    }

    /// The download's present step.
    public var state: DownloadState { tracker.state }

    /// The download's present progress.
    public var currentProgress: DownloadProgress { tracker.progress() }

    /// Returns the progress at regular times until the download has ended; the last element is of a final
    /// state.
    ///
    /// Only the newest element is kept for a slow reader.
    ///
    /// - Parameter interval: The time between two elements.
    public func progress(every interval: Duration = .milliseconds(500)) -> AsyncStream<DownloadProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DownloadProgress.self, bufferingPolicy: .bufferingNewest(1))
        let ticker = Task { [tracker, task] in
            // The next interval, or the end if it comes first.
            let end = Task {
                _ = await task.result
                continuation.yield(tracker.progress())
                continuation.finish()
            }
            while !Task.isCancelled, !tracker.progress().state.isFinal {
                continuation.yield(tracker.progress())
                try? await Task.sleep(for: interval)
            }
            await end.value
        }
        continuation.onTermination = { _ in ticker.cancel() }
        return stream
    }

    /// The finished download.
    ///
    /// - Throws: `DownloadError`; `CancellationError` after `cancel()`. When the waiting task is cancelled,
    ///   the download is cancelled too.
    public var result: DownloadResult {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Stops the download with a checkpoint; the same request later resumes there. `result` returns when it
    /// is done.
    public func cancel() {
        task.cancel()
    }
}
