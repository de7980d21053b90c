/// The URL of a location, and the settings for requests to it.
package struct ResolvedSource: Sendable {
    package var source: Source
    /// Header fields for the source's host.
    package var headers: [HTTPHeader]
    package var credentials: Credentials?
    /// The remedy for an exhausted quota of the source's host, as a clause; `nil` for none.
    package var quotaAdvice: String?
    /// Adds details known to the source to an error.
    package var explained: @Sendable (DownloadError) -> DownloadError

    package init(
        _ source: Source, headers: [HTTPHeader] = [], credentials: Credentials? = nil,
        quotaAdvice: String? = nil,
        explained: @escaping @Sendable (DownloadError) -> DownloadError = { $0 }
    ) {
        self.source = source
        self.headers = headers
        self.credentials = credentials
        self.quotaAdvice = quotaAdvice
        self.explained = explained
    }
}

extension DownloadRequest {
    /// Replaces the location of the source with its URL. The request's own authorization takes precedence.
    package mutating func resolve(to resolved: ResolvedSource) {
        source = resolved.source
        if !headers.haveAuthorization {
            headers += resolved.headers
            if let advice = resolved.quotaAdvice, mirrorAccess.origin == nil {
                mirrorAccess = MirrorAccess(for: resolved.source)
                mirrorAccess.quotaAdvice = advice
            }
        }
        credentials = credentials ?? resolved.credentials
    }
}
