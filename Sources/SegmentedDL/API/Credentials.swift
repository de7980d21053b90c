/// What proves to a server who asks: a user name and password for HTTP basic authentication, or an access key that
/// signs each request.
///
/// Printing or dumping it shows the user only.
public struct Credentials: Sendable, Hashable {
    /// The user's name; the access key's identifier for signed requests.
    public var user: String
    /// The password, which may be empty; the secret of the access key for signed requests.
    public var password: String

    /// How requests are signed; `nil` for basic authentication, which sends the password itself.
    let signature: AWSSignature?

    /// Credentials for HTTP basic authentication from their parts.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
        signature = nil
    }

    private init(user: String, password: String, signature: AWSSignature) {
        self.user = user
        self.password = password
        self.signature = signature
    }

    /// An access key that signs each request by AWS Signature Version 4 (CURLOPT_AWS_SIGV4), as S3 and stores that are
    /// compatible with it want it. The secret never leaves this process, the signature goes to the source's host only.
    ///
    /// - Parameters:
    ///   - accessKeyID: The key's identifier, which is sent.
    ///   - secretAccessKey: Its secret.
    ///   - sessionToken: What belongs to a temporary key, sent as `x-amz-security-token`.
    ///   - region: The region that the store is in; most compatible ones take `us-east-1`.
    ///   - service: The service that is asked.
    /// - Throws: `DownloadError` with code `invalidSetting` if a part is empty, or cannot be signed with.
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
                "The \(name) is empty, or holds a blank or something else that none has; check how it is set."
            )
        }
        for (name, text) in [("region", region), ("service", service)] {
            try require(
                AWSSignature.isName(text),
                "The \(name) '\(Printable.text(text))' cannot be one; write it as in 'eu-central-1'.")
        }
        return Credentials(
            user: accessKeyID, password: secretAccessKey,
            signature: AWSSignature(region: region, service: service, sessionToken: sessionToken))
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// The user.
    public var description: String { user }

    /// Nothing: a dump of what holds credentials must not show them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a signature by AWS Signature Version 4 is made with, besides an access key.
struct AWSSignature: Sendable, Hashable {
    let region: String
    let service: String
    let sessionToken: String?

    /// As CURLOPT_AWS_SIGV4 wants it.
    var option: String { "aws:amz:\(region):\(service)" }

    /// Whether it can be the name of a region or service, which also stands in host names.
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
