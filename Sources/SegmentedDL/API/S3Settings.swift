/// How a store that is compatible with S3 is reached, as programs for it read it from the environment.
public struct S3Settings: Sendable, Hashable {
    /// The store's URL, below which buckets are; `nil` for AWS itself.
    public var endpoint: Source?

    /// The region; `nil` for `us-east-1`.
    public var region: String?

    /// What signs requests; `nil` for requests that anyone can make.
    public var credentials: Credentials?

    /// AWS, without a signature.
    public init() {}

    /// What the usual variables say: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN` with a temporary
    /// key, `AWS_REGION` or `AWS_DEFAULT_REGION`, and `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`. Empty ones count as
    /// not set.
    ///
    /// - Parameter isSigned: Whether the keys are read at all.
    /// - Throws: `DownloadError` with code `invalidSetting` or `invalidURL`. It names the variable, and no secret.
    public init(environment: [String: String], isSigned: Bool = true) throws(DownloadError) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        if let region = value("AWS_REGION", "AWS_DEFAULT_REGION") {
            try require(
                AWSSignature.isName(region),
                "The region '\(Printable.text(region))' (AWS_REGION or AWS_DEFAULT_REGION) cannot be one; write it as in 'eu-central-1'."
            )
            self.region = region
        }
        if let text = value("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") {
            let endpoint = try Source(text)
            try require(
                !endpoint.hasQuery && endpoint.hasNoCredentials,
                "The endpoint '\(endpoint)' (AWS_ENDPOINT_URL) has a query or a user's name; leave it out.")
            self.endpoint = endpoint
        }
        guard isSigned else { return }
        switch (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY")) {
        case (nil, nil): return
        case (let identifier?, let secret?):
            credentials = try Credentials.awsSigV4(
                accessKeyID: identifier, secretAccessKey: secret, sessionToken: value("AWS_SESSION_TOKEN"),
                region: region ?? Self.defaultRegion)
        case (nil, _?), (_?, nil):
            throw DownloadError(
                .invalidSetting,
                "Only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set; set both to sign requests, or none."
            )
        }
    }

    static let defaultRegion = "us-east-1"
}
