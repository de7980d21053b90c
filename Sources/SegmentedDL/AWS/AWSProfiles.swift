/// The profiles in `~/.aws/config` and `~/.aws/credentials`, which AWS tools share.
package struct AWSProfiles: Sendable, Equatable {
    private var profiles: [String: [String: String]] = [:]

    /// Creates an empty set of profiles.
    package init() {}

    /// - Parameters:
    ///   - config: The text of `config`, with `[profile NAME]`.
    ///   - credentials: The text of `credentials`, with `[NAME]`; its values take precedence.
    /// - Throws: `DownloadError` with code `invalidSetting`. The message contains the line number, not the
    ///   text.
    package init(config: String, credentials: String) throws(DownloadError) {
        let parts = [
            (config, "the profile file (~/.aws/config)", true),
            (credentials, "the credentials file (~/.aws/credentials)", false),
        ]
        for (text, file, isConfig) in parts {
            let sections = try Self.sections(text, file)
            for (header, values) in sections {
                guard let name = isConfig ? Self.profileName(header) : header else { continue }
                profiles[name, default: [:]].merge(values) { $1 }
            }
        }
    }

    package static let usual = "default"

    /// The names of all profiles.
    package var names: [String] { profiles.keys.sorted() }

    /// Returns a value of a profile; `nil` if it is missing or empty.
    package func value(_ key: String, of name: String) -> String? {
        profiles[name]?[key].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the origin of a profile's keys; `nil` if it has none.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` for an incomplete key, a role without a source, a
    ///   cycle of roles, and keys that only the AWS CLI can fetch.
    package func origin(
        of name: String, _ environment: [String: String] = [:]
    ) throws(DownloadError) -> AWSKeyOrigin? {
        try origin(of: name, environment, behind: [])
    }

    private func origin(
        of name: String, _ environment: [String: String], behind earlier: [String]
    ) throws(DownloadError) -> AWSKeyOrigin? {
        let shown = Printable.text(name)
        for (key, what) in [
            ("sso_session", "a login by SSO"), ("sso_start_url", "a login by SSO"),
            ("login_session", "a login"),
            ("mfa_serial", "a device code"),
        ] where value(key, of: name) != nil {
            throw DownloadError(
                .invalidSetting,
                "The profile '\(shown)' gets its keys through \(what) (\(key)), which only the aws command supports. Export them with it, as in: eval \"$(aws configure export-credentials --profile NAME --format env)\", or name it as credential_process in another profile."
            )
        }
        // In a profile with a role, the keys are those that assume it.
        if let role = value("role_arn", of: name), earlier.last != name {
            return try origin(of: role, in: name, environment, behind: earlier)
        }
        switch (value("aws_access_key_id", of: name), value("aws_secret_access_key", of: name)) {
        case (let identifier?, let secret?):
            return .keys(
                AWSKeys(
                    accessKeyID: identifier, secretAccessKey: secret,
                    sessionToken: value("aws_session_token", of: name)))
        case (nil, nil): return value("credential_process", of: name).map { .process($0) }
        case (nil, _?), (_?, nil):
            throw DownloadError(
                .invalidSetting,
                "The profile '\(shown)' has only one of aws_access_key_id and aws_secret_access_key; set both."
            )
        }
    }

    /// Returns the origin of the keys of a role in a profile.
    private func origin(
        of roleName: String, in name: String, _ environment: [String: String], behind earlier: [String]
    ) throws(DownloadError) -> AWSKeyOrigin {
        let role = AWSRole(
            roleName, session: value("role_session_name", of: name),
            externalID: value("external_id", of: name),
            seconds: value("duration_seconds", of: name))
        let shown = Printable.text(name)
        if let file = value("web_identity_token_file", of: name) {
            return .webIdentity(role, tokenFile: file)
        }
        if let other = value("source_profile", of: name) {
            guard !earlier.contains(name) else {
                throw DownloadError(
                    .invalidSetting, "The roles of the profile '\(shown)' are circular (source_profile).")
            }
            guard let origin = try origin(of: other, environment, behind: earlier + [name]) else {
                throw DownloadError(
                    .invalidSetting,
                    "The profile '\(Printable.text(other))', which is the source_profile of '\(shown)', has no keys."
                )
            }
            return .role(role, by: origin)
        }
        let origin: AWSKeyOrigin? =
            switch value("credential_source", of: name) {
            case "Environment": Self.keys(environment).map { .keys($0) }
            case "EcsContainer": try AWSKeyOrigin.container(environment)
            case "Ec2InstanceMetadata": AWSKeyOrigin.instance(environment, isOnAWS: true)
            default: nil
            }
        guard let origin else {
            throw DownloadError(
                .invalidSetting,
                "The profile '\(shown)' has a role (role_arn), but no keys that can assume it: set source_profile, credential_source or web_identity_token_file."
            )
        }
        return .role(role, by: origin)
    }

    private static func keys(_ environment: [String: String]) -> AWSKeys? {
        guard let identifier = environment["AWS_ACCESS_KEY_ID"],
            let secret = environment["AWS_SECRET_ACCESS_KEY"]
        else { return nil }
        return AWSKeys(
            accessKeyID: identifier, secretAccessKey: secret,
            sessionToken: environment.nonEmpty("AWS_SESSION_TOKEN"))
    }

    /// Returns the profile described by a section of `config`; `nil` for other sections, such as
    /// `[sso-session NAME]`.
    private static func profileName(_ header: String) -> String? {
        if header == usual { return header }
        let words = header.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
        guard words.count == 2, words[0] == "profile" else { return nil }
        return String(words[1].trimmingBlanks())
    }

    private static func sections(
        _ text: String, _ file: String
    ) throws(DownloadError) -> [(header: String, values: [String: String])] {
        var sections: [(header: String, values: [String: String])] = []
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let content = line.trimmingBlanks()
            guard let first = content.first, first != "#", first != ";" else { continue }
            // Indented lines belong to the preceding value, such as the settings of one service.
            if line.first == " " || line.first == "\t" { continue }
            if first == "[", let end = content.lastIndex(of: "]") {
                let header = content[content.index(after: content.startIndex)..<end].trimmingBlanks()
                sections.append((header.filter { $0 != "\"" && $0 != "'" }, [:]))
            } else if let equals = content.firstIndex(of: "="), !sections.isEmpty {
                let key = content[..<equals].trimmingBlanks().lowercased()
                let value = content[content.index(after: equals)...].trimmingBlanks()
                sections[sections.count - 1].values[key] = withoutComment(value)
            } else {
                throw DownloadError(
                    .invalidSetting,
                    "Line \(index + 1) of \(file) is neither [SECTION] nor NAME = VALUE within a section; correct it."
                )
            }
        }
        return sections
    }

    /// A comment after a value begins with a space.
    private static func withoutComment(_ value: Substring) -> String {
        let ends = [" #", " ;", "\t#", "\t;"].compactMap { value.firstRange(of: $0)?.lowerBound }
        return String(value[..<(ends.min() ?? value.endIndex)].trimmingBlanks())
    }
}
