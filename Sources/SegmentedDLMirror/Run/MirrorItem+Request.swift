internal import SegmentedDL
internal import SegmentedDLOptions

extension MirrorJob {
    /// Returns the request that downloads a file of this job.
    ///
    /// - Parameter first: The first of the item's sources.
    func request(for item: MirrorItem, from first: Source) -> DownloadRequest {
        var request = DownloadRequest(item, from: first, in: root)
        let access = item.hubLocation == nil ? access : hub?.access ?? access
        request.mirrorAccess = access
        if first.origin == access.origin?.origin {
            request.headers = access.headers + request.headers
            request.credentials = access.credentials
        }
        for checksum in item.checksums { try? request.checksums.add(checksum) }
        request.followsLinks = followsLinks
        request.verifiesServerDigest = verifiesServerDigest
        if request.expectedTypes.isEmpty { request.expectedTypes = expectedTypes }
        request.ifExists = ifExists
        Aria2Values(item.options, defaults: .call).change(&request)
        return request
    }
}

extension MirrorItem {
    /// Returns the source that a recorded URL refers to.
    ///
    /// Queries are ignored, because a query may be a signature that changes each time.
    func source(of recorded: String) -> Source? {
        let bare = recorded.withoutQuery
        if let source = sources.first(where: { $0.url.withoutQuery == bare }) { return source }
        // An earlier version may have stored the URL with different escapes.
        guard recorded.utf8.contains(where: { $0 == UInt8(ascii: "%") || "\"<>`{}|^\\".utf8.contains($0) }),
            let identity = try? Source(recorded).identity.withoutQuery
        else { return nil }
        return sources.first { $0.identity.withoutQuery == identity }
    }
}
