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

    /// The finished download. Any number of tasks may wait for it.
    ///
    /// A task that is cancelled stops waiting at once; the download and the other waiters go on.
    ///
    /// - Throws: `DownloadError`, with code `cancelled` after `cancel()`; `CancellationError` if the waiting
    ///   task was cancelled.
    public var result: DownloadResult {
        get async throws {
            let (ends, continuation) = AsyncStream<Result<DownloadResult, any Error>>.makeStream()
            let waiter = Task {
                continuation.yield(await task.result)
                continuation.finish()
            }
            defer { waiter.cancel() }
            for await end in ends { return try Self.outcome { try end.get() } }
            throw CancellationError()
        }
    }

    /// Waits as the download's owner: when the waiting task is cancelled, the download is, too, and this
    /// returns after its checkpoint.
    ///
    /// - Throws: As `result`.
    package func finish() async throws -> DownloadResult {
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        return try Self.outcome { try result.get() }
    }

    /// Tells the cancellation of the download from that of the waiting task.
    private static func outcome(_ result: () throws -> DownloadResult) throws -> DownloadResult {
        do {
            return try result()
        } catch is CancellationError where !Task.isCancelled {
            throw DownloadError.cancelled()
        }
    }

    /// Stops the download with a checkpoint; the same request later resumes there. `result` returns when it
    /// is done.
    public func cancel() {
        task.cancel()
    }
}
