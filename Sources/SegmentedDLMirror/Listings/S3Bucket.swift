internal import SegmentedDL

/// A bucket of an S3-compatible store, and the keys of it that are wanted.
struct S3Bucket: Equatable, Sendable {
    /// The bucket's URL, which ends in a slash: `https://bucket.host/` or `https://host/bucket/`.
    let endpoint: Source

    /// What the keys begin with; may be empty. Paths are relative to it, up to its last slash.
    let prefix: String

    /// - Parameters:
    ///   - endpoint: The bucket's URL; a slash is put behind it if it has none.
    ///   - prefix: What the keys begin with.
    /// - Throws: `DownloadError` with code `invalidURL` if the URL has a query.
    init(endpoint: Source, prefix: String) throws(DownloadError) {
        guard !endpoint.hasQuery else {
            throw DownloadError(
                .invalidURL, "The bucket's URL '\(endpoint)' has a query; leave it out.",
                url: endpoint.description)
        }
        self.endpoint =
            endpoint.url.hasSuffix("/") ? endpoint : try endpoint.replacing(url: endpoint.url + "/")
        self.prefix = prefix
    }

    /// The request for a page of the listing (ListObjectsV2).
    ///
    /// - Parameter token: What the page before says where to go on; `nil` for the first one.
    /// - Throws: `DownloadError` with code `invalidURL`.
    func page(after token: String?) throws(DownloadError) -> Source {
        // In the order of the names, as a signature wants it.
        var query = token.map { "continuation-token=\(PercentEncoding.query($0))&" } ?? ""
        query += "encoding-type=url&list-type=2"
        if !prefix.isEmpty { query += "&prefix=\(PercentEncoding.query(prefix))" }
        return try endpoint.replacing(url: "\(endpoint.url)?\(query)")
    }

    /// The file of a key.
    ///
    /// - Returns: `nil` for the key that only marks a directory.
    /// - Throws: `DownloadError` with code `badPath` or `invalidURL` if there can be no such file.
    func item(key: String) throws(DownloadError) -> MirrorItem? {
        guard key.utf8.starts(with: prefix.utf8) else {
            throw DownloadError(
                .badPath,
                "The key '\(Printable.text(key))' does not begin with '\(Printable.text(prefix))', which was asked for."
            )
        }
        guard key.utf8.last != UInt8(ascii: "/"), !key.isEmpty else { return nil }
        // The whole key is checked: libcurl would resolve dots in any of its components.
        _ = try RelativePath(key)
        let path = try RelativePath(Substring(key.utf8.dropFirst(kept)))
        return MirrorItem([try endpoint.replacing(url: endpoint.url + PercentEncoding.path(key))], path: path)
    }

    /// How many bytes of the prefix are directories, and no part of a path.
    private var kept: Int {
        guard let slash = prefix.utf8.lastIndex(of: UInt8(ascii: "/")) else { return 0 }
        return prefix.utf8.distance(from: prefix.utf8.startIndex, to: slash) + 1
    }
}

extension Source {
    /// The same source with another URL, and the credentials that it had.
    fileprivate func replacing(url: String) throws(DownloadError) -> Source {
        let source = try Source(url)
        return Source(
            url: source.url, origin: source.origin, lastPathComponent: source.lastPathComponent,
            credentials: credentials)
    }
}
