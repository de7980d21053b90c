/// The origin of access keys.
package indirect enum AWSKeyOrigin: Equatable, Sendable {
    /// The keys themselves.
    case keys(AWSKeys)
    /// A command that prints them (`credential_process`).
    case process(String)
    /// A role to assume with other keys (AssumeRole of the security token service).
    case role(AWSRole, by: AWSKeyOrigin)
    /// A role for the token in a file, as written by Kubernetes (AssumeRoleWithWebIdentity).
    case webIdentity(AWSRole, tokenFile: String)
    /// The service of a container's host.
    case container(AWSContainer)
    /// The metadata service of a virtual machine, version 2, which may have no keys.
    case instance(endpoint: String)
}

/// An AWS role.
package struct AWSRole: Equatable, Sendable {
    /// The role's name (ARN).
    package var name: String
    /// The name of the session, which is shown in the cloud's logs.
    package var session: String
    /// The external ID that some roles of other accounts require.
    package var externalID: String?
    /// The validity of the keys in seconds; `nil` for the role's default.
    package var seconds: String?

    private static let usualSession = "segdl"

    init(_ name: String, session: String?, externalID: String? = nil, seconds: String? = nil) {
        (self.name, self.session) = (name, session ?? Self.usualSession)
        (self.externalID, self.seconds) = (externalID, seconds)
    }
}

/// The service that provides a container's keys.
package struct AWSContainer: Equatable, Sendable {
    /// Its URL.
    package var url: String
    /// The value of its Authorization field; `nil` for none.
    package var token: String?
    /// The file with that value, read each time; `nil` for none.
    package var tokenFile: String?
}

extension AWSKeyOrigin {
    /// The address of the metadata service on AWS machines.
    static let instanceEndpoint = "http://169.254.169.254"
    /// The address of the container service on AWS machines.
    private static let containerEndpoint = "http://169.254.170.2"
    /// The services on AWS machines that may be contacted without TLS.
    private static let nearHosts: Set = ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]

    /// Returns the origin in the environment that takes precedence over profiles: a role with a token file.
    package static func beforeProfiles(_ environment: [String: String]) -> AWSKeyOrigin? {
        guard let file = environment.nonEmpty("AWS_WEB_IDENTITY_TOKEN_FILE"),
            let role = environment.nonEmpty("AWS_ROLE_ARN")
        else {
            return nil
        }
        return .webIdentity(
            AWSRole(role, session: environment.nonEmpty("AWS_ROLE_SESSION_NAME")), tokenFile: file)
    }

    /// Returns the origin to use if neither the environment nor a profile provides keys.
    ///
    /// - Parameter isOnAWS: True on an AWS virtual machine, whose metadata service answers.
    /// - Throws: The errors of `container`.
    package static func afterProfiles(
        _ environment: [String: String], isOnAWS: Bool
    ) throws(DownloadError) -> AWSKeyOrigin? {
        try container(environment) ?? instance(environment, isOnAWS: isOnAWS)
    }

    /// - Throws: `DownloadError` with code `invalidSetting` for a remote service without TLS.
    static func container(_ environment: [String: String]) throws(DownloadError) -> AWSKeyOrigin? {
        let path = environment.nonEmpty("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
        guard
            let url = path.map({ containerEndpoint + $0 })
                ?? environment.nonEmpty("AWS_CONTAINER_CREDENTIALS_FULL_URI")
        else { return nil }
        let origin = try Source(url).origin
        guard origin.scheme == "https" || nearHosts.contains(origin.host) || origin.isOfThisMachine
        else {
            throw DownloadError(
                .invalidSetting,
                "'\(origin)' (AWS_CONTAINER_CREDENTIALS_FULL_URI) is another machine and does not use TLS; keys are not requested from it."
            )
        }
        return .container(
            AWSContainer(
                url: url, token: environment.nonEmpty("AWS_CONTAINER_AUTHORIZATION_TOKEN"),
                tokenFile: environment.nonEmpty("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")))
    }

    static func instance(_ environment: [String: String], isOnAWS: Bool) -> AWSKeyOrigin? {
        guard environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() != "true" else { return nil }
        let endpoint = environment.nonEmpty("AWS_EC2_METADATA_SERVICE_ENDPOINT")
        guard endpoint != nil || isOnAWS else { return nil }
        var text = endpoint ?? instanceEndpoint
        while text.hasSuffix("/") { text.removeLast() }
        return .instance(endpoint: text)
    }
}
