/// An access key of an S3-compatible store, which may expire.
///
/// Printing or dumping it shows only the identifier.
public struct AWSKeys: Sendable, Hashable {
    /// The key's identifier, which is sent to the server.
    public var accessKeyID: String
    /// The key's secret, which is never sent.
    public var secretAccessKey: String
    /// The token of a temporary key.
    public var sessionToken: String?
    /// The expiration in seconds since 1970; `nil` for a key that does not expire.
    public var expiration: Int64?

    /// Creates a key from its parts.
    public init(
        accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expiration: Int64? = nil
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiration = expiration
    }

    /// Returns the credentials that sign with this key. White space around its parts is removed, such as the
    /// line break at the end of a file.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`.
    func credentials(region: String, service: String = "s3") throws(DownloadError) -> Credentials {
        try .awsSigV4(
            accessKeyID: accessKeyID.trimmingBlanksAndLines(),
            secretAccessKey: secretAccessKey.trimmingBlanksAndLines(),
            sessionToken: sessionToken?.trimmingBlanksAndLines(), region: region, service: service)
    }

    /// Returns true if the key expires within some seconds.
    func expires(within seconds: Int64, of now: Int64) -> Bool {
        expiration.map { $0 - seconds <= now } ?? false
    }
}

extension AWSKeys: CustomStringConvertible, CustomReflectable {
    /// The identifier.
    public var description: String { accessKeyID }

    /// An empty mirror: a dump of a key must not show its secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
