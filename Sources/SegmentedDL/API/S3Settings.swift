/// The endpoint, region and credentials of an S3-compatible store, from the usual environment variables.
public struct S3Settings: Sendable, Hashable {
    /// The store's URL, which the bucket names are appended to; `nil` for AWS itself.
    public var endpoint: Source?

    /// The region; `nil` for `us-east-1`.
    public var region: String?

    /// The key that signs requests; `nil` for anonymous requests.
    public var credentials: Credentials?

    /// Creates the settings for AWS, with anonymous requests.
    public init() {}

    /// Reads the usual variables: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN` for a
    /// temporary key, `AWS_REGION` or `AWS_DEFAULT_REGION`, and `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`.
    /// Empty variables count as unset.
    ///
    /// - Parameters:
    ///   - environment: The variables by name.
    ///   - isSigned: False to ignore the keys, for anonymous requests.
    /// - Throws: `DownloadError` with code `invalidSetting` or `invalidURL`. The message names the variable,
    ///   but contains no secret.
    public init(environment: [String: String], isSigned: Bool = true) throws(DownloadError) {
        if let region = environment.nonEmpty("AWS_REGION", "AWS_DEFAULT_REGION") {
            try require(
                AWSSignature.isName(region),
                "The region '\(Printable.text(region))' (AWS_REGION or AWS_DEFAULT_REGION) is not valid; write it like 'eu-central-1'."
            )
            self.region = region
        }
        if let text = environment.nonEmpty("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") {
            let endpoint = try Source(text)
            try require(
                !endpoint.hasQuery && !endpoint.hasCredentials,
                "The endpoint '\(endpoint)' (AWS_ENDPOINT_URL) contains a query or a user name; remove it.")
            self.endpoint = endpoint
        }
        guard isSigned else { return }
        switch (environment.nonEmpty("AWS_ACCESS_KEY_ID"), environment.nonEmpty("AWS_SECRET_ACCESS_KEY")) {
        case (nil, nil): return
        case (let identifier?, let secret?):
            credentials = try Credentials.awsSigV4(
                accessKeyID: identifier, secretAccessKey: secret,
                sessionToken: environment.nonEmpty("AWS_SESSION_TOKEN"),
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

extension [String: String] {
    /// The value of the first of these variables that is set. Empty variables count as unset.
    package func nonEmpty(_ names: String...) -> String? {
        names.lazy.compactMap { self[$0] }.first { !$0.isEmpty }
    }

    /// The token in the first of these variables that is set, without the line end that the output of many
    /// programs has; `nil` for a blank one.
    package func token(_ names: String...) -> String? {
        let text = names.lazy.compactMap { self[$0] }.first { !$0.isEmpty } ?? ""
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.count == 1 ? String(words[0]) : words.isEmpty ? nil : text
    }
}
