/// An `s3://bucket/key` URL of an object, or of the common prefix of several keys. `s3://profile@bucket/key`
/// also names the profile whose keys sign its requests.
public struct S3Location: Sendable, Hashable {
    /// The bucket's name.
    public let bucket: String

    /// The text after the bucket's slash, literally: it is not percent-decoded. May be empty.
    public let key: String

    /// The name of the profile in `~/.aws`; `nil` for none. ``S3Settings`` ignores it.
    public let profile: String?

    /// Returns true if a text begins with `s3://`.
    public static func isLocation(_ text: String) -> Bool {
        LocationScheme(of: text) == .object
    }

    /// Parses `s3://bucket/key` or `s3://profile@bucket/key`.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the text does not begin with `s3://` or has no
    ///   bucket.
    public init(_ text: String) throws(DownloadError) {
        let shown = Printable.text(text)
        let parts = try LocationScheme.object.rest(of: text).split(
            separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        guard !parts[0].contains(UInt8(ascii: ":")) else { throw Self.notAProfile }
        let named = parts[0].lastIndex(of: UInt8(ascii: "@"))
        let profile = named.map { String(Substring(parts[0][..<$0])) }
        if let profile { try Self.check(profile: profile) }
        self.profile = profile
        bucket = String(Substring(parts[0][(named.map(parts[0].index(after:)) ?? parts[0].startIndex)...]))
        key = parts.count > 1 ? String(Substring(parts[1])) : ""
        guard !bucket.isEmpty, bucket.utf8.allSatisfy(Self.isBucketByte),
            bucket.utf8.contains(where: { $0 != UInt8(ascii: ".") })
        else {
            throw DownloadError(
                .invalidURL,
                "'\(shown)' has no bucket; write s3://bucket/key, with letters, digits, dots and dashes in the bucket's name."
            )
        }
    }

    /// Returns the location with the keys of a profile.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the name cannot be part of a location.
    package func with(profile: String) throws(DownloadError) -> S3Location {
        try Self.check(profile: profile)
        return try S3Location("\(LocationScheme.object.prefix)\(profile)@\(bucket)/\(key)")
    }

    private static func check(profile: String) throws(DownloadError) {
        guard !profile.isEmpty, !profile.utf8.contains(where: { ":/".utf8.contains($0) || $0 < 0x20 }) else {
            throw notAProfile
        }
    }

    /// The message omits the text, which may contain a key and its secret separated by a colon.
    private static var notAProfile: DownloadError {
        DownloadError(
            .invalidURL,
            "The text before the bucket of an s3:// location is not the name of a profile; write s3://PROFILE@BUCKET/KEY, and keep the keys in ~/.aws/credentials."
        )
    }

    /// - Throws: `DownloadError` with code `invalidURL` if the location is a bucket or a directory.
    package func checkNamesObject() throws(DownloadError) {
        guard key.isEmpty || key.hasSuffix("/") else { return }
        throw DownloadError(
            .invalidURL, "'\(self)' is not an object; write the full key, or mirror the directory."
        ).remedied(by: .mirror)
    }

    private static func isBucketByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || AWSSignature.isName(String(decoding: [byte], as: UTF8.self))
    }
}

extension S3Location: CustomStringConvertible {
    /// The text, with control characters made printable.
    public var description: String { Printable.text(text) }

    /// The location as text, which the initializer reads.
    package var text: String {
        LocationScheme.object.prefix + "\(profile.map { $0 + "@" } ?? "")\(bucket)/\(key)"
    }
}
