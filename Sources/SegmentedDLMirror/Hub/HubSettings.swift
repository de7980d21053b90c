public import SegmentedDL
internal import SystemPackage

/// The address of a model hub and the token sent to it, from the environment variables of `huggingface_hub`.
public struct HubSettings: Sendable, Hashable {
    /// The hub's URL.
    public var endpoint: Source {
        didSet { isEndpointOfVariable = false }
    }

    /// True if `HF_ENDPOINT` sets the hub's URL.
    private(set) var isEndpointOfVariable = false

    /// The token that is sent to the hub, and to no other host; `nil` for anonymous requests. Printing or
    /// dumping the settings does not show it.
    public var token: String? {
        didSet { tokenOrigin = nil }
    }

    /// The origin of a token.
    enum TokenOrigin: Sendable, Hashable {
        case variable(String)
        /// The path of a file, as the variables name it.
        case file(String)
    }

    /// The origin of the token; `nil` without a token, or for one that a program has set.
    private(set) var tokenOrigin: TokenOrigin?

    /// Creates the settings of the public hub, with anonymous requests.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`, though never in practice.
    public init() throws(DownloadError) {
        endpoint = try Source(HubLocation.usualEndpoint)
    }

    /// The API that the hub speaks.
    private(set) var dialect = HubDialect.huggingFace

    /// The maximum size of a token file, in bytes.
    private static let longestFile = 65_536

    /// Reads the usual variables like ``init(environment:sendsToken:contents:)``, and the token file from the
    /// disk. Blocks.
    ///
    /// - Parameters:
    ///   - environment: The variables by name, as in `ProcessInfo.processInfo.environment`.
    ///   - sendsToken: False to ignore the token and send anonymous requests.
    /// - Throws: `DownloadError` with code `invalidSetting` or `invalidURL`.
    public init(environment: [String: String], sendsToken: Bool = true) throws(DownloadError) {
        try self.init(environment: environment, sendsToken: sendsToken) { path in
            guard let bytes = try? HubLinks.contents(of: FilePath(path), atMost: Self.longestFile),
                bytes.count <= Self.longestFile
            else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Reads the usual variables: `HF_ENDPOINT`; `HF_TOKEN` (or `HUGGING_FACE_HUB_TOKEN`), else the file
    /// `HF_TOKEN_PATH`, else `token` in `HF_HOME`, else in `huggingface` of `XDG_CACHE_HOME` or of
    /// `~/.cache`. The hub is ModelScope if its host is one of ModelScope's, or that of
    /// `MODELSCOPE_ENDPOINT`; its token is in `MODELSCOPE_API_TOKEN`. Empty variables count as unset. Blocks
    /// if `contents` does.
    ///
    /// - Parameters:
    ///   - environment: The variables by name.
    ///   - sendsToken: False to ignore the token and send anonymous requests.
    ///   - contents: Returns the text of a file; `nil` if it does not exist.
    /// - Throws: `DownloadError` with code `invalidSetting` or `invalidURL`. The error names the variable and
    ///   shows no secret.
    public init(
        environment: [String: String], sendsToken: Bool = true, contents: (String) -> String?
    ) throws(DownloadError) {
        let named = environment.nonEmpty("HF_ENDPOINT")
        endpoint = try Source(named ?? HubLocation.usualEndpoint)
        isEndpointOfVariable = named != nil
        try require(
            !endpoint.hasQuery && !endpoint.hasCredentials,
            "The endpoint '\(endpoint)' (HF_ENDPOINT) contains a query or a user name; remove it.")
        let other = environment.nonEmpty("MODELSCOPE_ENDPOINT").flatMap { try? Source($0) }
        dialect = HubDialect(of: endpoint, named: other)
        guard sendsToken, !Self.isTrue(environment.nonEmpty("HF_HUB_DISABLE_IMPLICIT_TOKEN")) else { return }
        let path =
            environment.nonEmpty("HF_TOKEN_PATH").map { Self.expanded($0, environment) }
            ?? Self.home(environment).map { $0 + "/token" }
        // Do not send the token of one hub to another.
        let file = dialect == .huggingFace ? path : nil
        let variable = dialect.tokenVariables.first { environment.nonEmpty($0) != nil }
        let given = variable.flatMap { environment.nonEmpty($0) }
        let token = Self.trimmed(given ?? file.flatMap(contents) ?? "")
        guard !token.isEmpty else { return }
        let origin = variable.map(TokenOrigin.variable) ?? file.map(TokenOrigin.file)
        try require(
            token.utf8.allSatisfy { (0x21...0x7e).contains($0) },
            "The token of the hub (\(origin?.description ?? dialect.tokenVariables[0])) contains a space or another character that is not allowed; check its value."
        )
        self.token = token
        tokenOrigin = origin
    }

    /// Returns the directory of the hub's own files (`HF_HOME`); `nil` if no variable sets it.
    package static func home(_ environment: [String: String]) -> String? {
        if let home = environment.nonEmpty("HF_HOME") { return expanded(home, environment) }
        return
            (environment.nonEmpty("XDG_CACHE_HOME").map { expanded($0, environment) }
            ?? environment.nonEmpty("HOME").map { $0 + "/.cache" })
            .map { $0 + "/huggingface" }
    }

    /// Returns true for a value that `huggingface_hub` treats as true.
    private static func isTrue(_ value: String?) -> Bool {
        value.map { ["1", "true", "yes", "on"].contains($0.lowercased()) } ?? false
    }

    /// Returns a path with the home directory in place of a leading `~`, because a `.env` file or a service
    /// passes it on unexpanded.
    private static func expanded(_ path: String, _ environment: [String: String]) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = environment["HOME"], !home.isEmpty else {
            return path
        }
        return home + path.dropFirst()
    }

    private static func trimmed(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.count == 1 ? String(words[0]) : words.isEmpty ? "" : text
    }

    /// The remedy for an exhausted quota, as a clause; `nil` with a token.
    package var quotaAdvice: String? {
        token == nil ? "set \(dialect.tokenVariables[0]) for a larger quota" : nil
    }

    /// The access to the hub's host.
    var access: MirrorAccess {
        var access = MirrorAccess(for: endpoint)
        access.headers = headers
        access.quotaAdvice = quotaAdvice
        return access
    }

    /// The header fields for the hub's host.
    public var headers: [HTTPHeader] { token.map(dialect.headers) ?? [] }
}

extension HubSettings.TokenOrigin: CustomStringConvertible {
    var description: String {
        switch self {
        case .variable(let name): name
        case .file(let path): "the file '\(Printable.text(path))'"
        }
    }
}

extension HubSettings: CustomStringConvertible, CustomReflectable {
    /// The hub's URL.
    public var description: String { endpoint.description }

    /// An empty mirror: a dump must not show the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
