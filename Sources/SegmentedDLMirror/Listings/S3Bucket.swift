internal import SegmentedDL

/// A bucket of an S3-compatible store, and the prefix of the keys to mirror.
struct S3Bucket: Equatable, Sendable {
    /// The bucket's URL, which ends in a slash: `https://bucket.host/` or `https://host/bucket/`.
    let endpoint: Source

    /// The prefix of the keys to mirror; may be empty. Paths are relative to it, up to its last slash.
    let prefix: String

    /// - Parameters:
    ///   - endpoint: The bucket's URL; a missing trailing slash is added.
    ///   - prefix: The prefix of the keys to mirror.
    /// - Throws: `DownloadError` with code `invalidURL` if the URL has a query.
    init(endpoint: Source, prefix: String) throws(DownloadError) {
        guard !endpoint.hasQuery else {
            throw DownloadError(
                .invalidURL, "The bucket's URL '\(endpoint)' contains a query; remove it.",
                url: endpoint.description)
        }
        self.endpoint =
            endpoint.url.hasSuffix("/") ? endpoint : try endpoint.replacing(url: endpoint.url + "/")
        self.prefix = prefix
    }

    /// The end of a page, after which the next one begins.
    enum PageEnd: Hashable, Sendable {
        /// The continuation token of ListObjectsV2.
        case token(String)
        /// A key, for stores that support only version 1 of ListObjects.
        case marker(String)
    }

    /// Returns the request for a page of the listing (ListObjectsV2).
    ///
    /// - Parameter end: The end of the previous page; `nil` for the first page.
    /// - Throws: `DownloadError` with code `invalidURL`.
    func page(after end: PageEnd?) throws(DownloadError) -> Source {
        // Sorted by name, as a signature requires.
        var query =
            switch end {
            case nil: "encoding-type=url&list-type=2"
            case .token(let token):
                "continuation-token=\(PercentEncoding.query(token))&encoding-type=url&list-type=2"
            case .marker(let key): "encoding-type=url&marker=\(PercentEncoding.query(key))"
            }
        if !prefix.isEmpty { query += "&prefix=\(PercentEncoding.query(prefix))" }
        return try endpoint.replacing(url: "\(endpoint.url)?\(query)")
    }

    /// Returns the file with a key.
    ///
    /// - Returns: `nil` for a key that only marks a directory.
    /// - Throws: `DownloadError` with code `badPath` or `invalidURL` if the key is not a valid path.
    func item(key: String) throws(DownloadError) -> MirrorItem? {
        guard key.utf8.starts(with: prefix.utf8) else {
            throw DownloadError(
                .badPath,
                "The key '\(Printable.text(key))' does not begin with '\(Printable.text(prefix))', as requested."
            )
        }
        guard key.utf8.last != UInt8(ascii: "/"), !key.isEmpty else { return nil }
        let path = try RelativePath(Substring(key.utf8.dropFirst(kept)))
        // Check the whole key: libcurl would resolve dots in any of its components.
        _ = try RelativePath(key)
        return MirrorItem([try endpoint.replacing(url: endpoint.url + PercentEncoding.path(key))], path: path)
    }

    /// The number of bytes of the prefix that are directories, which are not part of the paths.
    private var kept: Int {
        guard let slash = prefix.utf8.lastIndex(of: UInt8(ascii: "/")) else { return 0 }
        return prefix.utf8.distance(from: prefix.utf8.startIndex, to: slash) + 1
    }
}

extension Source {
    /// Returns a source with another URL and the same credentials.
    fileprivate func replacing(url: String) throws(DownloadError) -> Source {
        try Source(url).with(credentials)
    }
}
