internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Responds to a registry's challenges.
struct RegistryTokens: Sendable {
    private struct Answer: Decodable {
        var token: String?
        var access_token: String?
    }

    private static let longest = 1 << 20
    /// The name of this program in requests to the token service (`client_id`).
    private static let client = "segdl"

    let source: RegistrySource
    let downloader: Downloader
    let login: @Sendable () async throws -> RegistryLogin?

    /// Returns the Authorization field that answers the challenges; `nil` if none is supported.
    ///
    /// - Throws: `DownloadError`, or `CancellationError`.
    func field(for challenges: [String]) async throws -> String? {
        let challenges = challenges.flatMap { AuthenticationChallenge.parse($0) }
        let login = try await login()
        if let bearer = challenges.first(where: { $0.scheme == "bearer" }), bearer.parameters["realm"] != nil
        {
            return "Bearer \(try await token(for: bearer, login))"
        }
        guard challenges.contains(where: { $0.scheme == "basic" }), let login, !login.isIdentityToken else {
            return nil
        }
        return "Basic \(Data("\(login.user):\(login.secret)".utf8).base64EncodedString())"
    }

    private func token(
        for challenge: AuthenticationChallenge, _ login: RegistryLogin?
    ) async throws -> String {
        let service = try Self.service(of: challenge, for: source)
        var access = MirrorAccess(for: service)
        var body: RequestBody?
        if let login, login.isIdentityToken {
            body = .form(Self.form(of: challenge, login, for: source))
        } else if let login {
            access.credentials = Credentials(user: login.user, password: login.secret)
        }
        let document: DocumentFetch.Document
        do {
            document = try await downloader.document(
                awaitedAt: body == nil ? Self.url(service, challenge, for: source) : service, access: access,
                maximumBytes: Self.longest, body: body)
        } catch let error as DownloadError {
            throw source.explained(error, hasLogin: login != nil)
        }
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(document.bytes))
        // The member names of both variants, Docker's and OAuth 2.0's.
        guard
            let token = [answer?.token, answer?.access_token].lazy.compactMap({ $0 }).first(
                where: Self.isToken)
        else {
            throw DownloadError(
                .badResponse, "'\(service)' did not respond like a registry's token service.",
                url: service.description)
        }
        return token
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// Returns the token service named in a challenge.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if a secret would be sent without TLS although the
    ///   registry uses it.
    static func service(
        of challenge: AuthenticationChallenge, for source: RegistrySource
    ) throws(DownloadError) -> Source {
        let realm = challenge.parameters["realm"] ?? ""
        guard let service = try? URLParser.parse(realm, relativeTo: source.endpoint),
            service.origin.scheme == "https" || source.endpoint.origin.scheme == "http"
        else {
            throw DownloadError(
                .badResponse,
                "\(source.location): the registry names '\(Printable.text(realm))' as its token service, which is not an https URL; no login is sent to it.",
                url: source.endpoint.description)
        }
        return service
    }

    private static func scope(of challenge: AuthenticationChallenge, for source: RegistrySource) -> String {
        challenge.parameters["scope"] ?? "repository:\(source.location.repository):pull"
    }

    /// Returns the URL that requests a token by GET (Docker's `token.md`).
    static func url(
        _ service: Source, _ challenge: AuthenticationChallenge, for source: RegistrySource
    ) throws(DownloadError) -> Source {
        let name = challenge.parameters["service"].map { "service=\(PercentEncoding.query($0))&" } ?? ""
        let scope = PercentEncoding.query(scope(of: challenge, for: source))
        return try Source("\(service.url)\(service.hasQuery ? "&" : "?")\(name)scope=\(scope)")
    }

    /// Returns the form that exchanges an identity token for a token (Docker's `oauth.md`).
    static func form(
        of challenge: AuthenticationChallenge, _ login: RegistryLogin, for source: RegistrySource
    ) -> String {
        [
            ("grant_type", "refresh_token"), ("service", challenge.parameters["service"] ?? ""),
            ("client_id", client), ("scope", scope(of: challenge, for: source)),
            ("refresh_token", login.secret),
        ].map { "\($0)=\(PercentEncoding.query($1))" }.joined(separator: "&")
    }
}
