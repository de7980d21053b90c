internal import SegmentedDL

extension MirrorSource {
    /// The server that lists the files and states their digests; `nil` for a file.
    var listing: Source? {
        switch self {
        case .index(let url), .bucket(let url, _), .packages(let url), .record(let url), .list(let url, _):
            url
        case .hub(let source): source.endpoint
        case .registry(let source): source.endpoint
        case .releases(let source): source.api
        case .debian, .file: nil
        }
    }

    /// Returns a result whose proofs say that a host other than the file's states the listed digests.
    func attributed(_ result: DownloadResult, of item: MirrorItem) -> DownloadResult {
        // Other sources may have sent some of the bytes.
        guard !result.proofs.isEmpty, item.sources.count == 1, let listing, let response = result.response,
            response.finalSource.origin.host != listing.origin.host
        else { return result }
        var result = result
        for index in result.proofs.indices where item.checksums.contains(result.proofs[index].checksum) {
            result.proofs[index].isStatedByOtherHost = true
        }
        return result
    }

    /// Returns the error of a listed file, with a remedy if the source's server has refused the file. A store
    /// to which the server redirects has other reasons.
    ///
    /// - Parameters:
    ///   - access: The access with which the file was requested.
    ///   - hub: The hub of the item's location.
    func explained(
        _ error: DownloadError, of item: MirrorItem, _ access: MirrorAccess, hub: HubSettings? = nil
    ) -> DownloadError {
        guard error.code == .httpStatus, let first = item.sources.first, error.url == first.description,
            error.response.map({ $0.finalSource.origin == first.origin }) ?? true
        else { return error }
        switch self {
        case .hub(let source) where first.origin == source.endpoint.origin:
            return source.explained(error, of: .listedFile)
        case .registry(let source) where first.origin == source.endpoint.origin:
            return source.explained(error, hasLogin: access.hasSentLogin, isListed: true)
        case .releases(let source): return source.explained(asset: error)
        case .file:
            guard let location = item.hubLocation, let hub else { return error }
            return HubSource(location, hub).explained(error)
        default: return error
        }
    }
}
