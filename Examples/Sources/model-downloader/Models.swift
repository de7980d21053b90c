import SegmentedDL
import SegmentedDLMirror
import SegmentedDLQueue

extension ManagerConfiguration {
    /// The queue of an app's models: each waits for the app's gate, and for room on the disk.
    static func models(_ store: FilePath, _ hub: HubSettings, gate: @escaping @MainActor () -> Gate) -> Self {
        var configuration = Self(store: store)
        configuration.reservedSpace = 100_000_000
        configuration.authorize = { _, _ in Authorization(headers: hub.headers) }
        configuration.mayStart = { _, _ in await gate() }
        return configuration
    }
}

extension DownloadManager {
    /// Adds the files of a model, with the sizes and digests of the hub: so the total is known at once.
    func add(
        _ model: String, of hub: HubSettings, to directory: FilePath, with downloader: Downloader
    ) async throws -> [Receipt] {
        let source = HubSource(try HubLocation(model), hub)
        var entries: [QueueEntry] = []
        let listed = downloader.entries(of: .hub(source), access: source.access(hub))
        for try await case .item(let item) in listed {
            entries.append(QueueEntry(try DownloadRequest(item, in: directory)))
        }
        return try await add(entries).map { try $0.get() }
    }
}
