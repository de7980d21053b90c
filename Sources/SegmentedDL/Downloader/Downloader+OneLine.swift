#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Downloads in one line, and closures beside streams.
extension Downloader {
    /// Downloads one file with the downloader that all such calls of the process share.
    ///
    /// - Parameters:
    ///   - url: An absolute http or https URL.
    ///   - destination: The place for the file.
    ///   - headers: Header fields for the URL's host.
    ///   - configuration: The settings, for a downloader of the call's own.
    /// - Returns: The complete file.
    /// - Throws: `DownloadError`, or `CancellationError` if the task is cancelled.
    public static func download(
        _ url: URL, to destination: DownloadRequest.Destination,
        headers: [HTTPHeader] = [], configuration: Configuration? = nil
    ) async throws -> DownloadResult {
        try await download(
            url.absoluteString, to: destination, headers: headers, configuration: configuration)
    }

    /// Downloads a file, and reports its progress to a closure, as ``download(_:)`` otherwise.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - interval: The time between two calls; a hundredth of a second if it is shorter.
    ///   - onProgress: Called in the caller's task, and so on its actor, with each progress that differs from
    ///     the last one. The last call, with a final state, has returned before this does.
    /// - Returns: The complete file.
    /// - Throws: `DownloadError`; `CancellationError` if the task was cancelled.
    public func download(
        _ request: DownloadRequest, every interval: Duration = .milliseconds(500),
        onProgress: (DownloadProgress) async -> Void
    ) async throws -> DownloadResult {
        let handle = start(request)
        var isFinal = false
        await withTaskCancellationHandler {
            for await progress in handle.progress(every: interval) {
                isFinal = progress.state.isFinal
                await onProgress(progress)
            }
        } onCancel: {
            handle.cancel()
        }
        do {
            let result = try await handle.finish()
            if !isFinal { await onProgress(handle.currentProgress) }
            return result
        } catch {
            // The stream of a task that is cancelled ends at once.
            if !isFinal { await onProgress(handle.currentProgress) }
            throw error
        }
    }
}

extension DownloadHandle {
    /// Reports the download to closures, for programs that have no task to wait in.
    ///
    ///     handle.follow { progress in
    ///         print(progress.fraction ?? 0)
    ///     } onCompletion: { result in
    ///         print((try? result.get().path) ?? "")
    ///     }
    ///
    /// - Parameters:
    ///   - interval: The time between two calls of `onProgress`; a hundredth of a second if it is shorter.
    ///   - isolation: The actor that the closures run on: the caller's. They may use its state.
    ///   - onProgress: Called with each progress that differs from the last one. No two calls overlap.
    ///   - onCompletion: Called once, after the last call of `onProgress`, with the file or the error of
    ///     ``result``.
    /// - Returns: The task that calls them. If it is cancelled, it calls `onCompletion` at once with
    ///   `CancellationError`, and the download continues.
    @discardableResult
    public func follow(
        every interval: Duration = .milliseconds(500), isolation: isolated (any Actor)? = #isolation,
        onProgress: @escaping (DownloadProgress) async -> Void = { _ in },
        onCompletion: @escaping (Result<DownloadResult, any Error>) async -> Void
    ) -> Task<Void, Never> {
        Task {
            _ = isolation
            for await progress in self.progress(every: interval) { await onProgress(progress) }
            do {
                let file = try await result
                await onCompletion(.success(file))
            } catch {
                await onCompletion(.failure(error))
            }
        }
    }
}
