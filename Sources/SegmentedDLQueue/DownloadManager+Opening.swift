internal import Logging
internal import SegmentedDL
internal import SegmentedDLSupport

/// The steps that open a queue.
extension DownloadManager {
    func deliver(
        to onEvent: @escaping @Sendable (QueueEvent, DownloadManager) async -> Void
    ) -> Task<Void, Never> {
        let events = eventStreams.makeStream(limit: .max)
        return CallerClosure.outside {
            Task { [weak self] in
                for await event in events {
                    guard let self else { return }
                    try? await CallerClosure.run(of: self, .events) { await onEvent(event, self) }
                }
            }
        }
    }

    /// Reads the queue from its store.
    static func restored(
        _ configuration: ManagerConfiguration
    ) async throws -> (QueueStore?, QueueState, [QueueState.Action]) {
        do {
            return try await DiskThread.run { try restore(configuration) }
        } catch var error as DownloadError where error.code == .locked {
            guard await DiskThread.run({ openManager(storeAt: configuration.store) }) != nil else {
                throw error
            }
            error.message =
                "This process already has the queue '\(configuration.store)' open, and is running its downloads; DownloadManager.openManager(storeAt:) returns its manager."
            configuration.downloads.logger.notice("\(error.message)")
            throw error
        }
    }
}
