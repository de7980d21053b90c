internal import SegmentedDL
internal import SegmentedDLOptions
package import SegmentedDLQueue

/// The settings of a download that versions up to 0.2.0 stored beside the queue. They are now in its request.
struct EarlierSettings: Decodable {
    private let format: Int?
    private let options: [String: [String]]
    private let checksumOrigin: ChecksumOrigin?
    private let startsOver: Bool?
    private let length: Int64?

    /// True if they were moved, or a later version wrote them to the request.
    var isMoved: Bool { format != nil }

    func apply(to request: inout DownloadRequest) {
        let values = Aria2Values(options, defaults: .call)
        request.checksumOrigin = checksumOrigin
        request.startsOver = startsOver ?? values.startsOver
        request.expectedLength = length ?? request.expectedLength
        request.tries = values.tries ?? request.tries
    }
}

extension DaemonStore {
    /// Moves the settings that versions up to 0.2.0 stored here to a queue, which must not be open, in
    /// batches. If this fails, or the process is killed meanwhile, the next call continues with the first
    /// batch that was not finished.
    ///
    /// - Throws: `DownloadError`, or `DatabaseError`.
    package nonisolated func moveEarlierSettings(to queue: ManagerConfiguration) async throws {
        let earlier = try await earlierSettings()
        guard !earlier.isEmpty else { return }
        var configuration = ManagerConfiguration(store: queue.store)
        configuration.onRestore = queue.onRestore
        (configuration.runsDownloads, configuration.waitsForHolder) = (false, true)
        try await DownloadManager.withManager(configuration) { manager in
            let ids = Dictionary(
                await manager.receipts.map { (GID(of: $0), $0.id) }, uniquingKeysWith: { first, _ in first })
            for start in stride(from: 0, to: earlier.count, by: DownloadManager.batch) {
                let batch = earlier[start..<min(start + DownloadManager.batch, earlier.count)]
                let settings = Dictionary(
                    batch.compactMap { one in ids[one.gid].map { ($0, one.settings) } },
                    uniquingKeysWith: { first, _ in first })
                try await manager.change(each: Array(settings.keys)) { id, entry in
                    settings[id]?.apply(to: &entry.request)
                }
                // A repetition would undo later changes.
                try await markMoved(batch.map(\.gid))
            }
        }
    }
}
