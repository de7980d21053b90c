import ArgumentParser
import SegmentedDL

/// The settings of S3-compatible stores.
struct S3Options: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The store for s3://bucket/key (default: from AWS_ENDPOINT_URL, or AWS).", valueName: "url"
        ))
    var endpointURL: String?

    @Option(help: ArgumentHelp("Its region (default: from AWS_REGION or AWS_DEFAULT_REGION, or us-east-1)."))
    var region: String?

    @Option(
        help: ArgumentHelp(
            "The profile in ~/.aws with its keys, region and store (default: from AWS_PROFILE, or default).",
            valueName: "name"))
    var profile: String?

    @Flag(help: "Do not sign requests even if there are keys.")
    var noSignRequest = false

    /// Returns the resolver for the files of one run.
    ///
    /// - Parameter note: Shows a message about a program that prints keys.
    func resolver(
        environment: [String: String] = ProcessEnvironment.variables,
        note: @escaping @Sendable (String) -> Void
    ) -> LocationResolver {
        var environment = environment
        if let endpointURL { environment["AWS_ENDPOINT_URL_S3"] = endpointURL }
        if let region { environment["AWS_REGION"] = region }
        return LocationResolver(
            environment: environment, profile: profile, isSigned: !noSignRequest, isLasting: false,
            note: note)
    }
}
