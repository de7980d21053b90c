/// An `s3://bucket/key` URL of an object, or of the common prefix of several keys.
public struct S3Location: Sendable, Hashable {
    /// The bucket's name.
    public let bucket: String

    /// The text after the bucket's slash, literally: it is not percent-decoded. May be empty.
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

    private static func isBucketByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || AWSSignature.isName(String(decoding: [byte], as: UTF8.self))
    }
}

extension S3Location: CustomStringConvertible {
    /// The text, with control characters made printable.
    public var description: String { Printable.text("\(Self.scheme)\(bucket)/\(key)") }
}
