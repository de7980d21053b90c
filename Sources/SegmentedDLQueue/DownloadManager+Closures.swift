internal import SegmentedDL

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Closures as alternatives to streams, and `URL` instead of text.
extension DownloadManager {
    /// Reports a download to closures, for programs that cannot await it in a task.
    ///
    ///     manager.follow(receipt.id) { receipt in
    ///         print(receipt.fraction ?? 0)
    ///     } onCompletion: { result in
    ///         print((try? result.get().path) ?? "")
    ///     }
    ///
    /// - Parameters:
    ///   - id: The download.
    ///   - interval: The time between two calls of `onProgress`; less than 10 ms counts as 10 ms.
    ///   - isolation: The actor that the closures run on: the caller's. They may use its state.
    ///   - onProgress: Called with each receipt that differs from the previous one. Calls do not overlap.
    ///   - onCompletion: Called once, after the last call of `onProgress`, with the receipt or the error of
    ///     ``result(of:)``.
    /// - Returns: The task that calls them. If it is cancelled, it immediately calls `onCompletion` with
    ///   `CancellationError`, and the download continues.
    @discardableResult
    public func follow(
        _ id: Receipt.ID, every interval: Duration = .milliseconds(500),
        isolation: isolated (any Actor)? = #isolation,
        onProgress: @escaping (Receipt) async -> Void = { _ in },
        onCompletion: @escaping (Result<Receipt, any Error>) async -> Void
    ) -> Task<Void, Never> {
        Task {
            _ = isolation
            for await receipt in self.progress(of: id, every: interval) { await onProgress(receipt) }
            do {
                let receipt = try await self.result(of: id)
                await onCompletion(.success(receipt))
            } catch {
                await onCompletion(.failure(error))
            }
        }
    }

    /// Returns the current receipt of the first download in the queue with a URL; `nil` if none exists.
    ///
    /// - Parameter url: The URL; if it cannot be requested, there are no downloads from it.
    public func receipt(for url: URL) -> Receipt? { receipt(for: url.absoluteString) }
}

extension Selection {
    /// The downloads from that URL.
    public static func url(_ url: URL) -> Selection { .url(url.absoluteString) }
}
