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

extension S3Location {
    /// Returns the URL of the object.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the key is missing, ends in a slash, or cannot be
    ///   part of a URL.
    public func object(in settings: S3Settings) throws(DownloadError) -> Source {
        try checkNamesObject()
        // A URL parser would resolve these components, and the URL would identify another object.
        let components = key.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard !components.contains("."), !components.contains("..") else {
            throw DownloadError(
                .invalidURL, "The key of '\(self)' contains '.' or '..', which a URL cannot represent.")
        }
        return try Source(bucketURL(in: settings).url + PercentEncoding.path(key))
    }

    /// Returns the URL of the bucket, with a trailing slash.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the settings yield no valid URL.
    public func bucketURL(in settings: S3Settings) throws(DownloadError) -> Source {
        if let endpoint = settings.endpoint {
            return try Source(endpoint.url + (endpoint.url.hasSuffix("/") ? "" : "/") + bucket + "/")
        }
        // With the region in the name, the store does not redirect to another host, which would not be sent a
        // signature.
        let region = settings.region.map { "s3.\($0)" } ?? "s3"
        let host = region + ".amazonaws.com" + (settings.region?.hasPrefix("cn-") ?? false ? ".cn" : "")
        // The wildcard in a certificate's name matches only one label.
        return try Source(isHostLabel ? "https://\(bucket).\(host)/" : "https://\(host)/\(bucket)/")
    }

    private var isHostLabel: Bool {
        (3...63).contains(bucket.utf8.count) && bucket == bucket.lowercased()
            && !bucket.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") }
            && !bucket.hasPrefix("-") && !bucket.hasSuffix("-")
    }
}
