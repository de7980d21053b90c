extension HubLocation {
    /// Returns the URL of the file on the public hub.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    func usualURL() throws(DownloadError) -> Source {
        let prefix = kind == .model ? "" : "\(kind.rawValue)/"
        return try Source(
            "\(Self.usualEndpoint)/\(prefix)\(repository)/resolve/\(PercentEncoding.query(wantedRevision))/\(PercentEncoding.path(path))"
        )
    }
}
