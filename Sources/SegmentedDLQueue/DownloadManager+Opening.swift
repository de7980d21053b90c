internal import Logging
internal import SegmentedDL
internal import SegmentedDLDatabase
internal import SegmentedDLSupport

/// The steps that open a queue.
extension DownloadManager {
    /// Opens a queue while `body` runs, and always shuts it down.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - events: The same as in `init`.
    ///   - body: Receives the queue.
    /// - Returns: The value of `body`.
    /// - Throws: The errors of `init` and `body`, and those of `shutdown()` if no other was thrown.
    @discardableResult
    public static func withManager<Result>(
        _ configuration: ManagerConfiguration, events: AsyncStream<QueueEvent>.Continuation? = nil,
        _ body: (DownloadManager) async throws -> Result
    ) async throws -> Result {
        let manager = try await DownloadManager(configuration, events: events)
        let result: Result
        do {
            result = try await body(manager)
        } catch {
            try? await manager.shutdown()
            throw error
        }
        try await manager.shutdown()
        return result
    }

    /// Reads the queue from its store. To run downloads, it waits for a process that only changes the queue.
    ///
    /// - Throws: `DownloadError`, or `CancellationError`.
    static func restored(
        _ configuration: ManagerConfiguration
    ) async throws -> (QueueStore?, QueueState, [QueueState.Action]) {
        var wait = HolderWait(now: Monotonic.now())
        var isAnnounced = false
        while true {
            do {
                return try await restoredOnce(configuration)
            } catch let error as DownloadError
                where error.code == .locked && (configuration.runsDownloads || configuration.waitsForHolder)
            {
                let holder = error.cause as? StoreLock.Holder
                guard let holder, wait.continues(isBrief: holder.isBrief, now: Monotonic.now()) else {
                    throw error
                }
                if holder.isBrief, !isAnnounced {
                    isAnnounced = true
                    configuration.downloads.logger.info(
                        "waiting for process \(holder.process), which is changing the queue '\(configuration.store)'"
                    )
                }
                try await Task.sleep(for: .seconds(HolderWait.interval))
            }
        }
    }

    private static func restoredOnce(
        _ configuration: ManagerConfiguration
    ) async throws -> (QueueStore?, QueueState, [QueueState.Action]) {
        do {
            return try await DiskThread.run { try restore(configuration) }
        } catch var error as DownloadError where error.code == .locked {
            guard await DiskThread.run({ openManager(storeAt: configuration.store) }) != nil else {
                throw error
            }
            error.message =
                "This process already has the queue '\(configuration.store)' open, and is running its downloads; use its manager, which DownloadManager.openManager(storeAt:) returns."
            error.cause = nil
            configuration.downloads.logger.notice("\(error.message)")
            throw error
        }
    }
}
