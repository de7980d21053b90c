extension S3Settings {
    /// Reads the usual variables, and a profile for all that they leave open.
    ///
    /// - Parameters:
    ///   - environment: The variables by their names.
    ///   - profile: The profile whose keys replace those of the variables; `nil` for that of `AWS_PROFILE` or
    ///     `AWS_DEFAULT_PROFILE`, else `default`.
    ///   - isSigned: False to ignore the keys, for anonymous requests.
    ///   - output: Runs a command, and returns what it prints.
    /// - Throws: `DownloadError` with code `invalidSetting` or `invalidURL`. It names the variable or
    ///   profile, and no secret.
    package init(
        environment: [String: String], profiles: AWSProfiles, profile: String? = nil, isSigned: Bool = true,
        output: @escaping @Sendable (String) async throws -> [UInt8]
    ) throws(DownloadError) {
        func isSet(_ names: String...) -> Bool { names.contains { !(environment[$0] ?? "").isEmpty } }
        var variables = environment
        let named =
            profile
            ?? ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"].lazy.compactMap { environment[$0] }
            .first { !$0.isEmpty }
        let name = named ?? AWSProfiles.usual
        if let named, !profiles.names.contains(named) {
            let known = profiles.names.map { Printable.text($0) }.joined(separator: ", ")
            throw DownloadError(
                .invalidSetting,
                "There is no profile '\(Printable.text(named))' in ~/.aws/config or ~/.aws/credentials"
                    + (known.isEmpty ? ", and no other one." : "; those there are: \(known)."))
        }
        if profile != nil {
            for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] {
                variables[name] = nil
            }
        }
        if !isSet("AWS_REGION", "AWS_DEFAULT_REGION") {
            variables["AWS_REGION"] = profiles.value("region", of: name)
        }
        if !isSet("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3") {
            variables["AWS_ENDPOINT_URL"] = profiles.value("endpoint_url", of: name)
        }
        try self.init(environment: variables, isSigned: isSigned)
        guard isSigned, credentials == nil else { return }
        let region = region ?? Self.defaultRegion
        switch try profiles.origin(of: name) {
        case .keys(let keys): credentials = try keys.credentials(region: region)
        case .process(let command):
            let source = AWSKeySource { try await Self.keys(printedBy: command, of: name, output) }
            credentials = try .awsSigV4(keys: source, region: region)
        case nil:
            try require(
                profile == nil,
                "The profile '\(Printable.text(name))' has no keys: neither aws_access_key_id nor credential_process."
            )
        }
    }

    private static func keys(
        printedBy command: String, of profile: String, _ output: (String) async throws -> [UInt8]
    ) async throws -> AWSKeys {
        let shown = "The command of the profile '\(Printable.text(profile))' (credential_process)"
        let bytes: [UInt8]
        do {
            bytes = try await output(command)
        } catch let error as DownloadError {
            throw DownloadError(.invalidSetting, "\(shown) failed: \(error.message)")
        }
        guard let keys = AWSKeys(processOutput: bytes) else {
            throw DownloadError(
                .invalidSetting,
                "\(shown) did not print keys: it must print JSON with Version 1, AccessKeyId and SecretAccessKey."
            )
        }
        return keys
    }
}
