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
    /// Moves the settings that versions up to 0.2.0 stored here to a queue, which must not be open. If the
    /// process is killed meanwhile, the next call repeats this.
    ///
    /// - Throws: `DownloadError`, or `DatabaseError`.
    package nonisolated func moveEarlierSettings(to queue: ManagerConfiguration) async throws {
        let earlier = try await earlierSettings()
        guard !earlier.isEmpty else { return }
        var configuration = ManagerConfiguration(store: queue.store)
        configuration.onRestore = queue.onRestore
        (configuration.runsDownloads, configuration.waitsForHolder) = (false, true)
        try await DownloadManager.withManager(configuration) { manager in
            for (gid, settings) in earlier {
                guard let receipt = await manager.receipt(gid),
                    let before = await manager.request(of: receipt.id)
                else { continue }
                var request = before
                settings.apply(to: &request)
                guard request != before else { continue }
                try await manager.change(receipt.id) { settings.apply(to: &$0.request) }
            }
        }
        try await markMoved(earlier.map(\.gid))
    }
}
