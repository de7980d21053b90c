import SegmentedDLSupport

extension S3Settings {
    /// Reads the usual variables, and the missing settings from a profile.
    ///
    /// - Parameters:
    ///   - environment: The variables by name.
    ///   - profile: The profile whose keys replace those of the variables; `nil` for the profile in
    ///     `AWS_PROFILE` or `AWS_DEFAULT_PROFILE`, otherwise `default`.
    ///   - isSigned: False to ignore the keys, for anonymous requests.
    ///   - isOnAWS: True on an AWS virtual machine, whose metadata service answers.
    ///   - effects: Fetches keys from commands, files and services.
    /// - Throws: `DownloadError` with code `invalidSetting` or `invalidURL`. The message names the variable
    ///   or profile, but contains no secret.
    package init(
        environment: [String: String], profiles: AWSProfiles, profile: String? = nil, isSigned: Bool = true,
        isOnAWS: Bool = false, effects: AWSKeyFetch.Effects
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
                    + (known.isEmpty ? ", which contain no profiles." : "; available: \(known)."))
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
        let before = profile == nil ? AWSKeyOrigin.beforeProfiles(environment) : nil
        var origin = before
        if origin == nil { origin = try profiles.origin(of: name, environment) }
        try require(
            origin != nil || profile == nil,
            "The profile '\(Printable.text(name))' has no keys: it sets none of aws_access_key_id, role_arn and credential_process."
        )
        let isOfProfile = before == nil && origin != nil
        if origin == nil { origin = try AWSKeyOrigin.afterProfiles(environment, isOnAWS: isOnAWS) }
        guard let last = origin else { return }
        let region = region ?? Self.defaultRegion
        if case .keys(let keys) = last {
            credentials = try keys.credentials(region: region)
            return
        }
        let place = isOfProfile ? "the profile '\(Printable.text(name))'" : "this machine"
        let service = [environment["AWS_ENDPOINT_URL_STS"], variables["AWS_ENDPOINT_URL"]].lazy
            .compactMap { $0 }.first { !$0.isEmpty }
        let lack = Lock<String?>(nil)
        let fetch = AWSKeyFetch(
            place: place, region: region,
            tokenService: try service.map { text throws(DownloadError) in try Source(text) },
            effects: effects,
            lacks: { reason in lack.withLock { $0 = reason } }
        )
        credentials = try .awsSigV4(
            keys: .optional(lack: lack) { try await fetch.keys(from: last) }, region: region)
    }
}
