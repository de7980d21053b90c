package import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The logins stored by `docker login` and `podman login` (`config.json`, containers-auth.json(5)).
package struct RegistryLogins: Sendable {
    /// How a file stores a login.
    package enum Entry: Sendable, Equatable {
        /// The login itself.
        case login(RegistryLogin)
        /// In a credential helper: the program is `docker-credential-NAME`, and `server` is its name for the
        /// registry.
        case helper(name: String, server: String)
    }

    private struct File: Decodable {
        struct Login: Decodable {
            var auth: String?
            var identitytoken: String?
            var username: String?
            var password: String?
        }

        var auths: [String: Login]?
        var credHelpers: [String: String]?
        var credsStore: String?
    }

    private struct HelperAnswer: Decodable {
        var Username: String
        var Secret: String
    }

    /// The name under which Docker stores the login for Docker Hub.
    private static let dockerServer = "https://index.docker.io/v1/"
    /// The user name in a helper's output that marks an identity token.
    private static let tokenUser = "<token>"

    private let file: File

    /// Reads a file.
    ///
    /// - Parameter name: The path of the file, for the error.
    /// - Throws: `DownloadError` with code `invalidSetting` if the text is not such a file.
    package init(_ text: String, name: String) throws(DownloadError) {
        guard let file = try? JSONDecoder().decode(File.self, from: Data(text.utf8)) else {
            throw DownloadError(
                .invalidSetting,
                "'\(Printable.text(name))' is not a login file of docker or podman; repair it, or give --user."
            )
        }
        self.file = file
    }

    /// Returns where the login for an image's registry is stored; `nil` if there is none.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if the login cannot be read.
    package func entry(for location: RegistryLocation) throws(DownloadError) -> Entry? {
        let isDocker = location.registry == "docker.io"
        let server = isDocker ? Self.dockerServer : location.registry
        if let name = file.credHelpers?[location.registry] ?? file.credHelpers?[server] {
            return .helper(name: name, server: server)
        }
        if let login = try login(for: location) { return .login(login) }
        return file.credsStore.flatMap { $0.isEmpty ? nil : .helper(name: $0, server: server) }
    }

    /// Use the login with the longest name that is a prefix of the image's name.
    private func login(for location: RegistryLocation) throws(DownloadError) -> RegistryLogin? {
        var names = [location.registry]
        for part in location.repository.split(separator: "/") { names.append("\(names.last ?? "")/\(part)") }
        let known = Dictionary((file.auths ?? [:]).map { (Self.name(of: $0), $1) }) { first, _ in first }
        for name in names.reversed() {
            if let stored = known[name], let login = try Self.login(stored, name) { return login }
        }
        return nil
    }

    /// Returns a key as a registry's name or a prefix of image names: Docker also stores URLs.
    private static func name(of key: String) -> String {
        guard let scheme = key.firstRange(of: "://") else {
            return ["index.docker.io", "registry-1.docker.io"].contains(key) ? "docker.io" : key
        }
        return name(of: String(key[scheme.upperBound...].prefix { $0 != "/" }))
    }

    private static func login(_ stored: File.Login, _ name: String) throws(DownloadError) -> RegistryLogin? {
        if let token = stored.identitytoken, !token.isEmpty { return RegistryLogin(identityToken: token) }
        // For an empty entry, the login may be in a helper.
        guard let text = stored.auth, !text.isEmpty else {
            guard let user = stored.username, !user.isEmpty, let password = stored.password else {
                return nil
            }
            return RegistryLogin(user: user, password: password)
        }
        let bytes = Data(base64Encoded: text) ?? Data()
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw DownloadError(
                .invalidSetting,
                "The stored login of '\(Printable.text(name))' cannot be read; log in again, or give --user.")
        }
        return RegistryLogin(
            user: String(decoding: parts[0], as: UTF8.self),
            // Docker pads the text with NUL bytes.
            password: String(decoding: parts[1].filter { $0 != 0 }, as: UTF8.self))
    }

    /// Reads the output of a helper; `nil` if it is not a login.
    package static func login(printedBy bytes: [UInt8]) -> RegistryLogin? {
        guard let answer = try? JSONDecoder().decode(HelperAnswer.self, from: Data(bytes)) else { return nil }
        return answer.Username == tokenUser
            ? RegistryLogin(identityToken: answer.Secret)
            : RegistryLogin(user: answer.Username, password: answer.Secret)
    }
}
