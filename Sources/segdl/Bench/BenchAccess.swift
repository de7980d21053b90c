import SegmentedDL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The headers, the credentials and the trust that every contender of a benchmark gets.
struct BenchAccess: Sendable {
    let headers: [HTTPHeader]
    let credentials: Credentials?
    let isInsecure: Bool

    init(_ access: AccessOptions, _ trust: TrustOptions) {
        headers = access.headers
        credentials = access.credentials
        isInsecure = trust.insecure
    }

    /// The settings of a download of this process.
    var configuration: Configuration {
        var configuration = Configuration()
        configuration.transport.verifiesTLS = !isInsecure
        return configuration
    }

    /// The arguments of our own command.
    var arguments: [String] {
        headers.flatMap { ["--header", Self.line($0)] }
            + (credentials.map { ["--user", "\($0.user):\($0.password)"] } ?? [])
            + (isInsecure ? ["--insecure"] : [])
    }

    /// Returns the arguments of another tool. All get the credentials as a header, because not each has an
    /// option that sends them unasked.
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
