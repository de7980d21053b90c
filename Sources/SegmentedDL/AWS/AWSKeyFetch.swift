/// Fetches keys from their origin.
package struct AWSKeyFetch: Sendable {
    /// A request to a service that issues keys.
    package struct Request: Sendable, Equatable {
        package var source: Source
        package var headers: [HTTPHeader] = []
        package var credentials: Credentials?
        package var body: RequestBody?
        /// True for a service on this machine or its host, which is contacted without a proxy.
        package var isNear = false
        /// The seconds after which an attempt without a response or connection fails.
        package var timeoutSeconds = 5
        /// The number of further attempts.
        package var retries = 2

        fileprivate static func toContainer(_ source: Source) -> Request {
            Request(source: source, isNear: true, timeoutSeconds: 2)
        }

        /// The same limits as in Amazon's clients, because machines outside its network have no such service.
        fileprivate static func toMachine(_ source: Source) -> Request {
            Request(source: source, isNear: true, timeoutSeconds: 1, retries: 0)
        }
    }

    /// The side effects of a fetch.
    package struct Effects: Sendable {
        /// Runs a command, and returns its output.
        package var output: @Sendable (String) async throws -> [UInt8]
        /// Returns the text of a file.
        package var contents: @Sendable (String) async throws -> String
        /// Sends a request, and returns the body of its response.
        package var answer: @Sendable (Request) async throws -> [UInt8]

        package init(
            output: @escaping @Sendable (String) async throws -> [UInt8],
            contents: @escaping @Sendable (String) async throws -> String,
            answer: @escaping @Sendable (Request) async throws -> [UInt8]
        ) {
            (self.output, self.contents, self.answer) = (output, contents, answer)
        }
    }

    /// The description of where the keys come from, for messages, such as `the profile 'work'`.
    let place: String
    let region: String
    /// The security token service; `nil` for Amazon's in the region.
    let tokenService: Source?
    let effects: Effects
    /// Called with the reason why the machine has no keys, if its service does not respond.
    let lacks: @Sendable (String) -> Void

    /// Returns the keys; `nil` if the machine has none, or its metadata service does not respond.
    ///
    /// - Throws: `DownloadError`, or `CancellationError`.
    func keys(from origin: AWSKeyOrigin) async throws -> AWSKeys? {
        switch origin {
        case .keys(let keys): return keys
        case .process(let command): return try await printed(by: command)
        case .role(let role, let other):
            guard let keys = try await keys(from: other) else {
                throw DownloadError(
                    .invalidSetting,
                    "No keys were found for \(place) to assume the role '\(shown(role))'.")
            }
            return try await assumed(role, by: keys)
        case .webIdentity(let role, let file): return try await assumed(role, tokenFile: file)
        case .container(let container): return try await given(to: container)
        case .instance(let endpoint): return try await given(by: endpoint)
        }
    }

    private func shown(_ role: AWSRole) -> String { Printable.text(role.name) }

    // MARK: Commands

    private func printed(by command: String) async throws -> AWSKeys {
        let shown = "The command of \(place) (credential_process)"
        let bytes: [UInt8]
        do {
            bytes = try await effects.output(command)
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

    // MARK: Roles

    private func assumed(_ role: AWSRole, by keys: AWSKeys) async throws -> AWSKeys {
        let query = parameters(of: "AssumeRole", role, [("ExternalId", role.externalID)])
        var request = Request(source: try Source("\(try service().url)?\(query)"))
        request.credentials = try keys.credentials(region: region, service: "sts")
        return try await assumed(role, request)
    }

    private func assumed(_ role: AWSRole, tokenFile: String) async throws -> AWSKeys {
        let token = try await effects.contents(tokenFile).trimmingBlanksAndLines()
        var request = Request(source: try service())
        request.body = .form(parameters(of: "AssumeRoleWithWebIdentity", role, [("WebIdentityToken", token)]))
        return try await assumed(role, request)
    }

    private func assumed(_ role: AWSRole, _ request: Request) async throws -> AWSKeys {
        let bytes: [UInt8]
        do {
            bytes = try await answer(to: request)
        } catch let error as DownloadError where error.status != nil {
            let said = error.reason.map { " The service says '\($0)'." } ?? ""
            throw DownloadError(
                .invalidSetting,
                "The role '\(shown(role))' of \(place) cannot be assumed (status \(error.status ?? 0)).\(said)"
            )
        }
        guard let keys = AWSKeys(roleAnswer: bytes) else { throw garbled(request.source) }
        return keys
    }

    private func parameters(of action: String, _ role: AWSRole, _ more: [(String, String?)]) -> String {
        let all: [(String, String?)] =
            [
                ("Action", action), ("Version", "2011-06-15"), ("RoleArn", role.name),
                ("RoleSessionName", role.session), ("DurationSeconds", role.seconds),
            ] + more
        return all.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.query($0))" } }
            .joined(separator: "&")
    }

    private func service() throws(DownloadError) -> Source {
        if let tokenService { return tokenService }
        return try Source("https://sts.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")/")
    }

    // MARK: Machines

    private func given(to container: AWSContainer) async throws -> AWSKeys {
        var request = Request.toContainer(try Source(container.url))
        var token = container.token
        if let file = container.tokenFile {
            token = try await effects.contents(file).trimmingBlanksAndLines()
        }
        request.headers = token.map { [HTTPHeader("Authorization", $0)] } ?? []
        guard let keys = AWSKeys(serviceAnswer: try await answer(to: request)) else {
            throw garbled(request.source)
        }
        return keys
    }

    private func given(by endpoint: String) async throws -> AWSKeys? {
        do {
            return try await keys(ofMachine: endpoint)
        } catch let error as DownloadError where Self.statusesWithoutKeys.contains(error.status ?? 0) {
            return nil
        } catch let error as DownloadError where Self.codesOfSilence.contains(error.code) {
            lacks(
                "the metadata service at \(Printable.text(endpoint)) does not respond; set AWS_EC2_METADATA_DISABLED=true to skip it"
            )
            return nil
        }
    }

    /// A machine without a role, one whose service is turned off, and another service at the address.
    private static let statusesWithoutKeys: Set = [403, 404, 405]

    /// The failures of a service that does not exist, or may not be reached from within a container.
    private static let codesOfSilence: Set<DownloadError.Code> = [
        .cannotResolve, .connectionFailed, .timedOut,
    ]

    private func keys(ofMachine endpoint: String) async throws -> AWSKeys? {
        var request = Request.toMachine(try Source("\(endpoint)/latest/api/token"))
        request.headers = [HTTPHeader("X-aws-ec2-metadata-token-ttl-seconds", "21600")]
        request.body = .emptyPut
        let token = String(decoding: try await answer(to: request), as: UTF8.self)
        func metadata(_ path: String) async throws -> [UInt8] {
            var request = Request.toMachine(
                try Source("\(endpoint)/latest/meta-data/iam/security-credentials/\(path)"))
            request.headers = [HTTPHeader("X-aws-ec2-metadata-token", token.trimmingBlanksAndLines())]
            return try await answer(to: request)
        }
        let roles = String(decoding: try await metadata(""), as: UTF8.self)
        guard let role = roles.split(whereSeparator: \.isNewline).first.map(String.init) else { return nil }
        let found = try await metadata(PercentEncoding.path(role))
        guard let keys = AWSKeys(serviceAnswer: found) else {
            guard let said = AWSKeys.refusal(serviceAnswer: found) else { throw garbled(request.source) }
            throw DownloadError(
                .badResponse,
                "The metadata service of \(place) has no keys for the role '\(Printable.text(role))': it says '\(said)'.",
                url: request.source.description)
        }
        return keys
    }

    private func answer(to request: Request) async throws -> [UInt8] {
        do {
            return try await effects.answer(request)
        } catch let error as DownloadError where error.code == .timedOut {
            // No option sets this timeout.
            throw DownloadError(
                .timedOut,
                "'\(request.source)', which \(place) names for access keys, did not respond within \(request.timeoutSeconds) s; try again later.",
                url: request.source.description, isRetryable: true, cause: error.cause)
        }
    }

    private func garbled(_ source: Source) -> DownloadError {
        DownloadError(
            .badResponse, "'\(source)', which \(place) names for access keys, did not return any.",
            url: source.description)
    }
}
