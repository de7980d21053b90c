internal import SegmentedDL

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Host names that do not exist.
extension DownloadManager {
    /// The retries of a download whose host name does not exist: a router that is starting may report this
    /// for every name.
    private static let retriesOfUnknownName = 2

    /// If a download failed because its host name does not exist, returns an error that says so. A download
    /// that never received a response then fails permanently after some retries.
    func explained(_ error: DownloadError, of id: Receipt.ID) async -> DownloadError {
        guard case .network(let cause)? = error.cause as? TransferFailure, let name = cause.unresolvedHost,
            await isUnknown(name), let record = queue.records[id]
        else { return error }
        let isNew = record.bytesTotal == nil && record.bytesCompleted == 0
        return DownloadError(
            error.code, "\(record.source): the name '\(name)' does not exist; check its spelling.",
            url: error.url, isRetryable: !isNew || record.failures < Self.retriesOfUnknownName, cause: cause)
    }

    /// Runs on its own thread; a download that is stopped does not wait for the name server.
    private func isUnknown(_ name: String) async -> Bool {
        let answers = DiskThread.stream { [saysUnknown] in $0.send(saysUnknown(name)) }
        return (try? await answers.first { _ in true }) ?? false
    }
}

/// Determines whether a host name exists, because libcurl does not distinguish a missing name from a network
/// that is down.
package enum NameLookup {
    /// Returns true if a name server reports that the name does not exist, which does not happen while the
    /// network is down or still starting. Blocks.
    @Sendable package static func saysUnknown(_ name: String) -> Bool {
        #if canImport(Glibc) || canImport(Musl)
            var found: UnsafeMutablePointer<addrinfo>?
            let result = getaddrinfo(name, nil, nil, &found)
            if let found { freeaddrinfo(found) }
            return result == EAI_NONAME
        #else
            // Without a network, Darwin reports the same error.
            return false
        #endif
    }
}
