import SegmentedDL

/// The headers, credentials and trust settings that all contenders of a benchmark use.
struct BenchAccess: Sendable {
    let headers: [HTTPHeader]
    let credentials: Credentials?
    let isInsecure: Bool

    init(_ access: AccessOptions, _ trust: TrustOptions) {
        headers = access.headers
        credentials = access.credentials
        isInsecure = trust.insecure
    }

    /// The settings of an in-process download.
    var configuration: Configuration {
        var configuration = Configuration()
        configuration.transport.verifiesTLS = !isInsecure
        return configuration
    }

    /// The arguments of our command.
    var arguments: [String] {
        headers.flatMap { ["--header", Self.line($0)] }
            + (credentials.map { ["--user", "\($0.user):\($0.password)"] } ?? [])
            + (isInsecure ? ["--insecure"] : [])
    }

    /// Returns the arguments of another tool. All receive the credentials as a header, because some lack an
    /// option that sends them preemptively.
    func arguments(of tool: Contender.Tool) -> [String] {
        let lines = headers.map(Self.line) + (credentials.map { [Self.basic($0)] } ?? [])
        let trust: String
        switch tool {
        case .curl, .axel:
            return lines.flatMap { ["-H", $0] } + (isInsecure ? ["--insecure"] : [])
        case .aria2c: trust = "--check-certificate=false"
        case .wget2: trust = "--no-check-certificate"
        }
        return lines.map { "--header=\($0)" } + (isInsecure ? [trust] : [])
    }

    private static func line(_ header: HTTPHeader) -> String {
        header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
    }

    private static func basic(_ credentials: Credentials) -> String {
        let text = "\(credentials.user):\(credentials.password)"
        return "Authorization: Basic " + Data(text.utf8).base64EncodedString()
    }
}
