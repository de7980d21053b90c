public import SegmentedDL

/// The assets of a GitHub repository's releases, or of one release, from GitHub's API.
public struct ReleasesSource: Sendable, Hashable {
    /// The releases to mirror.
    enum Part: Hashable {
        case all
        case latest
        case tag(String)
    }

    /// The repository's name with its owner, as in `owner/name`.
    public let repository: String

    /// The URL of the API.
    public let api: Source

    let part: Part
    /// True if requests to the API send a token; affects error messages.
    let hasToken: Bool

    /// Parses a URL such as `https://github.com/OWNER/NAME/releases`, or that of one release:
    /// `…/releases/latest` or `…/releases/tag/TAG`.
    ///
    /// - Returns: `nil` for another URL.
    public init?(_ url: Source, _ settings: ReleasesSettings) {
        let base = settings.server.url
        let prefix = base.hasSuffix("/") ? base : base + "/"
        guard url.url.hasPrefix(prefix), !url.hasQuery else { return nil }
        let parts = url.url.dropFirst(prefix.count).split(separator: "/").map(String.init)
        guard parts.count >= 3, parts[2] == "releases" else { return nil }
        switch parts.dropFirst(3).first {
        case nil: part = .all
        case "latest" where parts.count == 4: part = .latest
        case "tag" where parts.count > 4: part = .tag(parts.dropFirst(4).joined(separator: "/"))
        default: return nil
        }
        repository = "\(parts[0])/\(parts[1])"
        api = settings.api
        hasToken = settings.token != nil
    }

    /// The URL of the first page.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    func firstPage() throws(DownloadError) -> Source {
        let releases = repositoryURL + "/releases"
        // The tag is still percent-encoded as in the original URL.
        return switch part {
        case .all: try Source("\(releases)?per_page=100")
        case .latest: try Source("\(releases)/latest")
        case .tag(let tag): try Source("\(releases)/tags/\(tag)")
        }
    }

    /// The URL of the repository's description.
    var repositoryURL: String {
        let base = api.url.hasSuffix("/") ? api.url : api.url + "/"
        return "\(base)repos/\(repository)"
    }

    /// Identifies this source in the mirror's state.
    var identity: String { "\(api.identity) \(repository) \(part)" }

    /// Returns the error of a request to the API, with a remedy if the response indicates one.
    ///
    /// - Parameter delay: The number of seconds until the API accepts requests again; `nil` if unknown.
    func explained(_ error: DownloadError, after delay: Double? = nil) -> DownloadError {
        guard error.code == .httpStatus, let advice = advice(error, delay) else { return error }
        return error.advising(
            advice, about: "The releases of \(Printable.text(repository))", by: "GitHub")
    }

    /// Returns the error of a request to GitHub for a listed asset, with a remedy if the response indicates
    /// one.
    func explained(asset error: DownloadError) -> DownloadError {
        let advice: String
        switch error.status {
        case 404: advice = "GitHub lists the file, but does not send it; it may have been removed."
        case 403, 429: advice = "GitHub refuses more requests. Try again later."
        default: return error
        }
        guard error.code == .httpStatus else { return error }
        return error.advising(
            advice, about: "The releases of \(Printable.text(repository))", by: nil)
    }

    private func advice(_ error: DownloadError, _ delay: Double?) -> String? {
        switch error.status {
        case 401:
            "the token was refused. Create a new one, and set GITHUB_TOKEN; or unset it, if the repository is public."
        case 403 where Self.isSecondaryLimit(error), 429 where Self.isSecondaryLimit(error):
            // It applies to bursts of requests, even with a token.
            "it limits the number of requests in a short time. Try again \(Self.time(delay ?? 60)), with fewer downloads at a time."
        case let status? where status == 429 || status == 403 && error.isRetryable:
            "the request quota is exhausted. Try again \(Self.time(delay))"
                + (hasToken ? "." : ", or set GITHUB_TOKEN for a larger quota.")
        case 403:
            hasToken
                ? "the request quota is exhausted, or the token cannot read the repository. Try again later."
                : "the request quota is exhausted. Try again later, or set GITHUB_TOKEN for a larger quota."
        case 404:
            hasToken
                ? "there is no such repository or release. Check the name and the tag."
                : "there is no such repository or release, or it is private. Check the name and the tag; for a private repository, set GITHUB_TOKEN."
        default: nil
        }
    }

    private static func isSecondaryLimit(_ error: DownloadError) -> Bool {
        error.reason?.lowercased().contains("secondary rate limit") ?? false
    }

    private static func time(_ delay: Double?) -> String {
        guard let delay else { return "later" }
        let (unit, name) = delay < 120 ? (1.0, "s") : (60.0, "minutes")
        return "in \(Int((delay / unit).rounded(.up))) \(name)"
    }
}

/// The addresses of GitHub and its API, and the token for the API.
public struct ReleasesSettings: Sendable, Hashable {
    /// The URL of the web site.
    public var server: Source
    /// The URL of the API.
    public var api: Source
    /// The token that is sent to the API's host, and to no other; `nil` for anonymous requests. Printing or
    /// dumping the settings does not show it.
    public var token: String?

    /// Reads the usual variables: `GITHUB_SERVER_URL`, `GITHUB_API_URL`, and `GITHUB_TOKEN` or `GH_TOKEN`.
    /// Empty variables count as unset.
    ///
    /// - Parameter environment: The variables by name.
    /// - Throws: `DownloadError` with code `invalidSetting` or `invalidURL`. The error shows no secret.
    public init(environment: [String: String] = [:]) throws(DownloadError) {
        server = try Source(environment.nonEmpty("GITHUB_SERVER_URL") ?? "https://github.com")
        api = try Source(environment.nonEmpty("GITHUB_API_URL") ?? "https://api.github.com")
        token = environment.token("GITHUB_TOKEN", "GH_TOKEN")
        try require(
            token?.utf8.allSatisfy { (0x21...0x7e).contains($0) } ?? true,
            "The token in GITHUB_TOKEN (or GH_TOKEN) contains a space or another character that is not allowed; check its value."
        )
    }

    /// The remedy for an exhausted quota, as a clause; `nil` with a token.
    package var quotaAdvice: String? { token == nil ? "set GITHUB_TOKEN for a larger quota" : nil }

    /// The header fields for the API's host.
    public var headers: [HTTPHeader] { token.map { [HTTPHeader("Authorization", "Bearer \($0)")] } ?? [] }
}

extension ReleasesSettings: CustomStringConvertible, CustomReflectable {
    /// The URL of the API.
    public var description: String { api.description }

    /// An empty mirror: a dump must not show the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
