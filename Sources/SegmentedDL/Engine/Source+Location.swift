extension Source {
    /// Creates a source from user input: a URL, or the location of a file in a hub or store, which the file's
    /// download resolves.
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
    /// Returns the URL of the file on the public hub or AWS.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    package func usualURL() throws(DownloadError) -> Source {
        switch self {
        case .hub(let location): try location.usualURL()
        case .object(let location): try location.object(in: S3Settings())
        }
    }
}
