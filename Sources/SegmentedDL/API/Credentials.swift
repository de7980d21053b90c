/// A user name and password, sent by the scheme in ``Transport/authentication``; an access key that signs
/// each request; or a source of the Authorization field.
///
/// Printing or dumping credentials shows only the user.
public struct Credentials: Sendable, Hashable {
    /// The user's name; the access key's identifier for signed requests.
    public var user: String
    /// The password, which may be empty; the secret of the access key for signed requests.
    public var password: String

    /// The signature's settings; `nil` for a user name and a password.
    let signature: AWSSignature?

    /// The source of the keys; `nil` for a fixed key.
    private var keys: AWSKeySource?

    /// The source of the Authorization field; `nil` for other kinds of credentials.
    let authorization: AuthorizationSource?

    /// The value of the Authorization field of one request; `nil` for none.
    private(set) var field: String?

    /// Creates a user name and a password.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
        signature = nil
        keys = nil
        authorization = nil
    }

    private init(user: String, password: String, signature: AWSSignature, keys: AWSKeySource? = nil) {
        self.user = user
        self.password = password
        self.signature = signature
        self.keys = keys
        authorization = nil
    }

    private init(authorization: AuthorizationSource) {
        user = ""
        password = ""
        signature = nil
        keys = nil
        self.authorization = authorization
    }

    /// Returns credentials whose Authorization field comes from a source, which is called again when the host
    /// refuses the field.
    ///
    /// - Returns: The credentials, without a user name.
    public static func authorization(from source: AuthorizationSource) -> Credentials {
        Credentials(authorization: source)
    }

    /// Returns an access key that signs each request with AWS Signature Version 4 (CURLOPT_AWS_SIGV4), for S3
    /// and compatible stores. The secret never leaves this process; the signature goes only to the source's
    /// host.
    ///
    /// - Parameters:
    ///   - accessKeyID: The key's identifier, which is sent.
    ///   - secretAccessKey: The key's secret.
    ///   - sessionToken: The token of a temporary key, sent as `x-amz-security-token`.
    ///   - region: The region of the store; most compatible stores accept `us-east-1`.
    ///   - service: The name of the service in the signature.
    /// - Throws: `DownloadError` with code `invalidSetting` if a part is empty or contains an invalid
    ///   character.
    public static func awsSigV4(
        accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil,
        region: String = "us-east-1", service: String = "s3"
    ) throws(DownloadError) -> Credentials {
        for (name, text) in [
            ("access key's identifier", accessKeyID), ("secret access key", secretAccessKey),
            ("session token", sessionToken ?? "none"),
        ] {
            try require(
                !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) },
                "The \(name) is empty, or contains a space or another character that is not allowed; check its value."
            )
        }
        return Credentials(
            user: accessKeyID, password: secretAccessKey,
            signature: try AWSSignature(region: region, service: service, sessionToken: sessionToken))
    }

    /// Returns keys that sign each request as
    /// ``awsSigV4(accessKeyID:secretAccessKey:sessionToken:region:service:)`` does, from a source that renews
    /// them before they expire.
    ///
    /// - Parameters:
    ///   - keys: The source of the keys.
    ///   - region: The region of the store.
    ///   - service: The name of the service in the signature.
    /// - Throws: `DownloadError` with code `invalidSetting` if the region or service is not valid in a
    ///   signature.
    public static func awsSigV4(
        keys: AWSKeySource, region: String = "us-east-1", service: String = "s3"
    ) throws(DownloadError) -> Credentials {
        Credentials(
            user: "", password: "",
            signature: try AWSSignature(region: region, service: service, sessionToken: nil), keys: keys)
    }

    /// Returns the credentials for a request. If their keys come from a source, these are the current keys;
    /// `nil` if the source has none.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: `DownloadError` with code `invalidSetting` for unusable keys; the errors of the source;
    ///   `CancellationError`.
    func current(now: Int64) async throws -> Credentials? {
        if let authorization {
            var current = self
            current.field = authorization.value
            return current
        }
        guard let keys, let signature else { return self }
        guard let current = try await keys.keys(now: now) else { return nil }
        return try signing(with: current, signature)
    }

    private func signing(
        with current: AWSKeys, _ signature: AWSSignature
    ) throws(DownloadError) -> Credentials {
        var found = try current.credentials(region: signature.region, service: signature.service)
        found.keys = keys
        return found
    }

    /// True if the keys come from a source.
    var hasKeySource: Bool { keys != nil }

    /// Returns true if the source of a refused request's keys now has other ones.
    ///
    /// - Throws: The errors of the source, or `CancellationError`.
    func renewKeys() async throws -> Bool {
        guard let keys, let signature else { return false }
        return try await keys.renew { (try? signing(with: $0, signature)) == self }
    }

    /// Returns the reason why the source has no keys, the first time it is called; otherwise `nil`.
    func takeLack() -> String? { keys?.takeLack() }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// The user's name.
    public var description: String { user }

    /// An empty mirror: a dump of a value that holds credentials must not show them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The settings of AWS Signature Version 4 that complete an access key.
struct AWSSignature: Sendable, Hashable {
    let region: String
    let service: String
    let sessionToken: String?

    /// - Throws: `DownloadError` with code `invalidSetting`.
    init(region: String, service: String, sessionToken: String?) throws(DownloadError) {
        for (name, text) in [("region", region), ("service", service)] {
            try require(
                Self.isName(text),
                "The \(name) '\(Printable.text(text))' is not valid; write it like 'eu-central-1'.")
        }
        self.region = region
        self.service = service
        self.sessionToken = sessionToken
    }

    /// The value of CURLOPT_AWS_SIGV4.
    var option: String { "aws:amz:\(region):\(service)" }

    /// Returns true if the text is a valid name of a region or service, which is also a part of host names.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
