import SegmentedDL
import SystemPackage

/// The AWS profiles of the user, and the commands that print keys.
enum AWSAccess {
    /// The maximum size of a profile file, in bytes.
    private static let longest = 4 * 1024 * 1024

    /// Reads the profile files; missing ones are empty. Blocks.
    ///
    /// - Throws: `DownloadError` with code `badPath` or `invalidSetting`.
    static func profiles(environment: [String: String]) throws(DownloadError) -> AWSProfiles {
        try AWSProfiles(
            config: text("AWS_CONFIG_FILE", "config", environment),
            credentials: text("AWS_SHARED_CREDENTIALS_FILE", "credentials", environment))
    }

    /// True if the firmware identifies the machine as an Amazon virtual machine. Blocks.
    static var isOnAWS: Bool {
        let vendor = try? TextFile.read(
            "/sys/class/dmi/id/sys_vendor", atMost: 4096, options: [.nonBlocking, .closeOnExec])
        return vendor?.hasPrefix("Amazon EC2") ?? false
    }

    /// Returns the effects needed to obtain keys.
    ///
    /// - Parameter note: Shows a message.
    static func effects(note: @escaping @Sendable (String) -> Void) -> AWSKeyFetch.Effects {
        AWSKeyFetch.Effects(
            output: { command in
                try await CredentialProgram.output(
                    of: command, named: CredentialProgram.name(in: command), note: note)
            },
            contents: { path in
                do {
                    return try await DiskThread.run {
                        try TextFile.read(path, atMost: 1 << 20, options: [.nonBlocking, .closeOnExec])
                    }
                } catch let error as Errno {
                    throw DownloadError(
                        .badPath, "Cannot read the token in '\(Printable.text(path))': \(error).")
                }
            },
            answer: { try await answer($0) })
    }

    /// Sends a request to a service that supplies keys.
    private static func answer(_ request: AWSKeyFetch.Request) async throws -> [UInt8] {
        var configuration = Configuration()
        configuration.retry.retries = request.retries
        configuration.transport.connectTimeout = .seconds(request.timeoutSeconds)
        configuration.transport.firstByteTimeout = .seconds(request.timeoutSeconds)
        configuration.transport.lowSpeedTime = .seconds(request.timeoutSeconds)
        if request.isNear { configuration.transport.noProxy = "*" }
        var access = MirrorAccess(for: request.source)
        access.headers = request.headers
        access.credentials = request.credentials
        return try await Downloader(configuration).document(
            awaitedAt: request.source, access: access, maximumBytes: 1 << 20, body: request.body
        ).bytes
    }

    private static func text(
        _ variable: String, _ name: String, _ environment: [String: String]
    ) throws(DownloadError) -> String {
        guard
            let path = environment.nonEmpty(variable)
                ?? environment.nonEmpty("HOME").map({ "\($0)/.aws/\(name)" })
        else { return "" }
        do {
            return try TextFile.read(path, atMost: longest, options: [.nonBlocking, .closeOnExec])
        } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
            return ""
        } catch {
            throw DownloadError(.badPath, "Cannot read the profiles in '\(path)': \(error).")
        }
    }
}
