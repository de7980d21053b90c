/// An `s3://bucket/key` text: it names an object, or the common prefix of several keys.
public struct S3Location: Sendable, Hashable {
    /// The bucket's name.
    public let bucket: String

    /// The text behind the bucket's slash, literally: it is not percent-decoded. May be empty.
    public let key: String

    private static let scheme = "s3://"

    /// Returns true if a text begins with `s3://`.
    public static func isLocation(_ text: String) -> Bool {
        [scheme, "S3://"].contains { text.utf8.starts(with: $0.utf8) }
    }

    /// Parses `s3://bucket/key`.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the text does not begin with `s3://` or names no
    ///   bucket.
    public init(_ text: String) throws(DownloadError) {
        let shown = Printable.text(text)
        guard Self.isLocation(text) else {
            throw DownloadError(.invalidURL, "'\(shown)' does not begin with s3://.")
        }
        let parts = text.utf8.dropFirst(Self.scheme.utf8.count).split(
            separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        bucket = String(Substring(parts[0]))
        key = parts.count > 1 ? String(Substring(parts[1])) : ""
        guard !bucket.isEmpty, bucket.utf8.allSatisfy(Self.isBucketByte),
            bucket.utf8.contains(where: { $0 != UInt8(ascii: ".") })
        else {
            throw DownloadError(
                .invalidURL,
                "'\(shown)' names no bucket; write s3://bucket/key, with letters, digits, dots and dashes in the bucket's name."
            )
        }
    }

    /// Returns the URL of the object.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the key is missing, ends in a slash, or cannot be
    ///   part of a URL.
    public func object(in settings: S3Settings) throws(DownloadError) -> Source {
        guard !key.isEmpty, !key.hasSuffix("/") else {
            throw DownloadError(
                .invalidURL,
                "'\(self)' names no object; write its whole key, or mirror the directory with segdl mirror.")
        }
        // A URL parser would resolve these components, and another object would arrive.
        let components = key.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard !components.contains("."), !components.contains("..") else {
            throw DownloadError(
                .invalidURL, "The key of '\(self)' has '.' or '..' in it; no URL can hold it.")
        }
        return try Source(bucketURL(in: settings).url + PercentEncoding.path(key))
    }

    /// Returns the URL of the bucket, which ends in a slash.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the settings do not give a valid URL.
    public func bucketURL(in settings: S3Settings) throws(DownloadError) -> Source {
        if let endpoint = settings.endpoint {
            return try Source(endpoint.url + (endpoint.url.hasSuffix("/") ? "" : "/") + bucket + "/")
        }
        // With the region in the name there is no redirect to another host, which would get no signature.
        let region = settings.region.map { "s3.\($0)" } ?? "s3"
        let host = region + ".amazonaws.com" + (settings.region?.hasPrefix("cn-") ?? false ? ".cn" : "")
        // The star in a certificate's name covers only one label.
        return try Source(isHostLabel ? "https://\(bucket).\(host)/" : "https://\(host)/\(bucket)/")
    }

    private var isHostLabel: Bool {
        (3...63).contains(bucket.utf8.count) && bucket == bucket.lowercased()
            && !bucket.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") }
            && !bucket.hasPrefix("-") && !bucket.hasSuffix("-")
    }

    private static func isBucketByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || AWSSignature.isName(String(decoding: [byte], as: UTF8.self))
    }
}

extension S3Location: CustomStringConvertible {
    /// The text, with control characters made printable.
    public var description: String { Printable.text("\(Self.scheme)\(bucket)/\(key)") }
}
