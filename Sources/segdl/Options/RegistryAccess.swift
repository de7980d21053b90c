import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

/// The user's registry logins.
enum RegistryAccess {
    /// The maximum size of a login file, in bytes.
    private static let longest = 4 * 1024 * 1024

    /// Returns a closure that looks up the login for an image's registry. A helper is called each time,
    /// because its secrets may expire.
    ///
    /// - Parameters:
    ///   - given: The user name and password from the command line.
    ///   - note: Shows a message.
    static func login(
        for location: RegistryLocation, _ given: Credentials?,
        environment: [String: String] = ProcessEnvironment.variables,
        note: @escaping @Sendable (String) -> Void
    ) -> @Sendable () async throws -> RegistryLogin? {
        if let given { return { RegistryLogin(user: given.user, password: given.password) } }
        return {
            switch try await DiskThread.run({ try entry(for: location, environment) }) {
            case .login(let login): return login
            case .helper(let name, let server): return try await login(of: name, server, note)
            case nil: return nil
            }
        }
    }

    /// The files, in the order in which skopeo and podman read them.
    private static func files(_ environment: [String: String]) -> [String] {
        func value(_ name: String, _ path: String = "") -> String? {
            environment.nonEmpty(name).map { $0 + path }
        }
        return [
            value("REGISTRY_AUTH_FILE"), value("XDG_RUNTIME_DIR", "/containers/auth.json"),
            value("XDG_CONFIG_HOME", "/containers/auth.json")
                ?? value("HOME", "/.config/containers/auth.json"),
            value("DOCKER_CONFIG", "/config.json") ?? value("HOME", "/.docker/config.json"),
        ].compactMap { $0 }
    }

    private static func entry(
        for location: RegistryLocation, _ environment: [String: String]
    ) throws(DownloadError) -> RegistryLogins.Entry? {
        for file in files(environment) {
            guard let text = try? TextFile.read(file, atMost: longest, options: [.nonBlocking, .closeOnExec])
            else { continue }
            if let entry = try RegistryLogins(text, name: file).entry(for: location) { return entry }
        }
        return nil
    }

    private static func login(
        of name: String, _ server: String, _ note: @escaping @Sendable (String) -> Void
    ) async throws -> RegistryLogin? {
        let program = "docker-credential-\(name)"
        guard name.utf8.allSatisfy(isWord) else {
            throw DownloadError(
                .invalidSetting, "'\(Printable.text(program))' is not the name of a credential helper.")
        }
        let bytes: [UInt8]
        do {
            // If it has no login, it says so on standard output and exits with status 1.
            bytes = try await CredentialProgram.output(
                of: """
                    answer=$(printf '%s' '\(server)' | \(program) get)
                    status=$?
                    case $status in 0) printf '%s' "$answer";; 1) ;; *) exit $status;; esac
                    """, named: program, note: note)
        } catch let error as DownloadError {
            throw DownloadError(
                .invalidSetting,
                "The credential helper '\(program)' failed: \(error.message) Repair it, or give --user.")
        }
        let login = RegistryLogins.login(printedBy: bytes)
        if login == nil, !bytes.isEmpty {
            note("the credential helper '\(program)' printed no login, so no login is sent")
        }
        return login
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "-_.".utf8.contains(byte)
        }
    }
}
