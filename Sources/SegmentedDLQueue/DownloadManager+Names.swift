internal import SegmentedDL
internal import SegmentedDLSupport

/// Hosts whose name does not exist.
extension DownloadManager {
    /// The retries of a download whose host's name does not exist: a router may say so of all names while it
    /// begins.
    private static let retriesOfUnknownName = 2

    /// Returns the error that says so, if a download failed because the name of its host does not exist. If
    /// it has never got an answer, it fails for good after some retries.
    func explained(_ error: DownloadError, of id: Receipt.ID) async -> DownloadError {
        guard case .network(let cause)? = error.cause as? TransferFailure, let name = cause.unresolvedHost,
            await isUnknown(name), let record = queue.records[id]
        else { return error }
        let isNew = record.bytesTotal == nil && record.bytesCompleted == 0
        return DownloadError(
            error.code, "\(record.source): the name '\(name)' does not exist; check it for a mistake.",
            url: error.url, isRetryable: !isNew || record.failures < Self.retriesOfUnknownName, cause: cause)
    }

    /// Asks on a thread of its own; a download that is stopped does not wait for the name server.
    private func isUnknown(_ name: String) async -> Bool {
        let (answer, hasEnded) = (Lock(false), Signal())
        Task { [saysUnknown] in
            let isUnknown = await DiskThread.run { saysUnknown(name) }
            answer.withLock { $0 = isUnknown }
            hasEnded.send()
        }
        await hasEnded.wait()
        return answer.withLock { $0 }
    }
}
