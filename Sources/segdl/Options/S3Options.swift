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

    @Option(
        help: ArgumentHelp(
            "The profile in ~/.aws with its keys, region and store (default: from AWS_PROFILE, or default).",
            valueName: "name"))
    var profile: String?

    @Flag(help: "Do not sign requests, although there are keys.")
    var noSignRequest = false

    /// Returns the settings. Blocks: it reads the profile files.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`, `invalidURL` or `badPath`.
    func settings(
        environment: [String: String] = ProcessEnvironment.variables
    ) throws(DownloadError) -> S3Settings {
        var environment = environment
        if let endpointURL { environment["AWS_ENDPOINT_URL_S3"] = endpointURL }
        if let region { environment["AWS_REGION"] = region }
        return try S3Settings(
            environment: environment, profiles: AWSAccess.profiles(environment: environment),
            profile: profile, isSigned: !noSignRequest, isOnAWS: AWSAccess.isOnAWS,
            effects: AWSAccess.effects)
    }

    /// Returns the settings if one of the URLs is an object in a store; otherwise `nil`. All files of a run
    /// share them, including the keys that a command prints.
    ///
    /// - Throws: The errors of `settings`.
    func settings(ifAnyOf urls: some Sequence<String>) throws(DownloadError) -> S3Settings? {
        urls.contains(where: S3Location.isLocation) ? try settings() : nil
    }
}
