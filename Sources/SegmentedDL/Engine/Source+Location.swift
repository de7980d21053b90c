extension Source {
    /// Creates a source from what a user writes: a URL, or the location of a file in a hub or store, which
    /// its download resolves.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    package init(named text: String) throws(DownloadError) {
        if let location = try FileLocation(text) {
            self.init(location)
        } else {
            try self.init(text)
        }
    }
}

extension FileLocation {
    /// Returns the URL of the file in the public hub, or at AWS.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    package func usualURL() throws(DownloadError) -> Source {
        switch self {
        case .hub(let location): try location.usualURL()
        case .object(let location): try location.object(in: S3Settings())
        }
    }
}
