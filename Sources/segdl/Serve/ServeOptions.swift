import ArgumentParser
import SegmentedDL
import SegmentedDLServer
import SystemPackage

/// The daemon's address, the allowed callers, and the directories for its files.
struct ServeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where to listen; also unix:PATH (default: 127.0.0.1:6800).", valueName: "address:port"))
    var listen: String?

    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp("The directory for files; none are written elsewhere.", valueName: "directory"),
        completion: .directory)
    var dir = "."

    @Option(
        help: ArgumentHelp(
            "Another allowed directory for files; may be repeated.", valueName: "directory"),
        completion: .directory)
    var allowDir: [String] = []

    @Option(
        help: ArgumentHelp(
            "The secret for callers (default: $SEGDL_RPC_SECRET, otherwise random).",
            valueName: "text"))
    var rpcSecret: String?

    @Option(
        help: ArgumentHelp("A file whose first line is the secret; SIGHUP reloads it.", valueName: "file"),
        completion: .file())
    var rpcSecretFile: String?

    @Option(
        help: ArgumentHelp("Another host name of this machine; may be repeated.", valueName: "name"))
    var rpcHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "An origin whose pages may call the daemon, such as https://host; may be repeated.",
            valueName: "origin"))
    var rpcAllowOrigin: [String] = []

    @Flag(help: "Allow the pages of all sites to call the daemon.")
    var rpcAllowOriginAll = false

    @Option(
        help: ArgumentHelp(
            "A certificate with its chain in PEM, for HTTPS; SIGHUP reloads it.", valueName: "file"),
        completion: .file())
    var certificate: String?

    @Option(
        help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"),
        completion: .file())
    var privateKey: String?

    func validate() throws {
        guard (certificate == nil) == (privateKey == nil) else {
            throw ValidationError("--certificate and --private-key must be used together.")
        }
        if rpcSecret != nil, rpcSecretFile != nil {
            throw ValidationError("--rpc-secret and --rpc-secret-file cannot be combined.")
        }
    }

    /// Reads the certificate and its key; `nil` if none is given.
    ///
    /// - Throws: `DownloadError` with code `badPath`.
    func identity() throws(DownloadError) -> ServerIdentity? {
        guard let certificate, let privateKey else { return nil }
        return try ServerIdentity(certificate: FilePath(certificate), key: FilePath(privateKey))
    }

    var access: AccessRule {
        var rule = AccessRule()
        rule.hosts = Set(rpcHost.map { $0.lowercased() })
        rule.origins = Set(rpcAllowOrigin.map { $0.lowercased() })
        rule.allowsAllOrigins = rpcAllowOriginAll
        return rule
    }

    /// Returns the address to listen on.
    ///
    /// - Parameters:
    ///   - passed: The socket opened by a service manager; the user's address takes precedence.
    ///   - length: The secret's length in bytes.
    /// - Throws: `DownloadError` with code `invalidSetting` for an address that other machines can reach if
    ///   the secret is short.
    func address(
        passed: ServerAddress?, secretLength length: Int
    ) throws(DownloadError) -> ServerAddress {
        let address =
            if let listen {
                try ServerAddress(listen)
            } else if let passed {
                passed
            } else {
                ServerAddress.network(host: "127.0.0.1", port: 6800)
            }
        guard address.isLocal || length >= Secret.lengthForOthers else {
            throw DownloadError(
                .invalidSetting,
                "Other machines can reach \(address), but the secret has only \(length) characters; use \(Secret.lengthForOthers) or more, or listen on 127.0.0.1."
            )
        }
        return address
    }
}
