#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One-line downloads, and closures as an alternative to streams.
extension Downloader {
    /// Downloads one file with a downloader shared by all such calls of the process.
    ///
    /// - Parameters:
    ///   - url: An absolute http or https URL.
    ///   - destination: The destination of the file.
    ///   - headers: Header fields for the URL's host.
    ///   - configuration: The settings, for a separate downloader.
    /// - Returns: The complete file.
    /// - Throws: `DownloadError`, or `CancellationError` if the task is cancelled.
    @discardableResult
    public static func download(
        _ url: URL, to destination: DownloadRequest.Destination,
        headers: [HTTPHeader] = [], configuration: Configuration? = nil
    ) async throws -> DownloadResult {
        try await download(
            url.absoluteString, to: destination, headers: headers, configuration: configuration)
    }

    /// Downloads a file like ``download(_:)``, and reports its progress to a closure.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - interval: The time between two calls; less than 10 ms counts as 10 ms.
    ///   - onProgress: Called in the caller's task, and so on its actor, with each progress that differs from
    ///     the previous one. The last call, with a final state, returns before this does.
    /// - Returns: The complete file.
    /// - Throws: `DownloadError`; `CancellationError` if the task was cancelled.
    @discardableResult
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
            // The stream of a cancelled task ends at once.
            if !isFinal { await onProgress(handle.currentProgress) }
            throw error
        }
    }
}

extension DownloadHandle {
    /// Reports the download to closures, for programs that cannot await it in a task.
    ///
    ///     handle.follow { progress in
    ///         print(progress.fraction ?? 0)
    ///     } onCompletion: { result in
    ///         print((try? result.get().path) ?? "")
    ///     }
    ///
    /// - Parameters:
    ///   - interval: The time between two calls of `onProgress`; less than 10 ms counts as 10 ms.
    ///   - isolation: The actor that the closures run on, by default the caller's. They may use its state.
    ///   - onProgress: Called with each progress that differs from the previous one. Calls do not overlap.
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
