internal import SegmentedDL

extension MirrorSource {
    /// Returns the error of a listed file, with a remedy if the source's server has refused the file. A store
    /// to which the server redirects has other reasons.
    ///
    /// - Parameter access: The access with which the file was requested.
    func explained(_ error: DownloadError, of item: MirrorItem, _ access: MirrorAccess) -> DownloadError {
        guard error.code == .httpStatus, let first = item.sources.first, error.url == first.description,
            error.response.map({ $0.finalSource.origin == first.origin }) ?? true
        else { return error }
        switch self {
        case .hub(let source) where first.origin == source.endpoint.origin:
            return source.explained(error, of: .listedFile)
        case .registry(let source) where first.origin == source.endpoint.origin:
            return source.explained(error, hasLogin: access.hasSentLogin, isListed: true)
        case .releases(let source): return source.explained(asset: error)
        default: return error
        }
    }
}
