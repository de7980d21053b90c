import ArgumentParser
import SegmentedDL

/// The settings of S3-compatible stores.
struct S3Options: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The store that s3://bucket/key is in (default: from AWS_ENDPOINT_URL, or AWS).", valueName: "url"
        ))
    var endpointURL: String?

    @Option(help: ArgumentHelp("Its region (default: from AWS_REGION or AWS_DEFAULT_REGION, or us-east-1)."))
    var region: String?

    @Flag(help: "Do not sign requests, although AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set.")
    var noSignRequest = false

    /// - Throws: `DownloadError` with code `invalidSetting` or `invalidURL`.
    func settings(
        environment: [String: String] = ProcessEnvironment.variables
    ) throws(DownloadError) -> S3Settings {
        var environment = environment
        if let endpointURL { environment["AWS_ENDPOINT_URL_S3"] = endpointURL }
        if let region { environment["AWS_REGION"] = region }
        return try S3Settings(environment: environment, isSigned: !noSignRequest)
    }

    /// Returns the source that a URL or `s3://bucket/key` names, and the keys that sign its requests.
    func object(_ text: String) throws(DownloadError) -> (source: Source, credentials: Credentials?) {
        guard S3Location.isLocation(text) else { return (try Source(text), nil) }
        let settings = try settings()
        return (try S3Location(text).object(in: settings), settings.credentials)
    }
}
