internal import SegmentedDL

/// Files in hubs and stores.
extension DownloadManager {
    /// Returns the URL of a download's location, and its keys; `nil` for a download from a URL.
    func resolved(_ record: QueueRecord) async throws -> ResolvedSource? {
        guard let location = record.source.location else { return nil }
        guard let resolve = configuration.resolve else {
            throw DownloadError(
                .invalidSetting,
                "\(record.source): this program has no settings for hubs and stores; run the queue with segdl queue start or segdl serve.",
                url: record.source.description)
        }
        return try await asking("The location \(record.source) could not be resolved", record) {
            try await resolve(location)
        }
    }
}
