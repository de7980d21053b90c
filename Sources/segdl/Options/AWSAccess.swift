import SegmentedDL
import SystemPackage

/// The profiles of the machine's user, and the commands that print keys.
enum AWSAccess {
    /// The longest file of profiles that is read, in bytes.
    private static let longest = 4 * 1024 * 1024

    /// Reads the files of profiles; those that are not there are empty. Blocks.
    ///
    /// - Throws: `DownloadError` with code `badPath` or `invalidSetting`.
    static func profiles(environment: [String: String]) throws(DownloadError) -> AWSProfiles {
        try AWSProfiles(
            config: text("AWS_CONFIG_FILE", "config", environment),
            credentials: text("AWS_SHARED_CREDENTIALS_FILE", "credentials", environment))
    }

    private static func text(
        _ variable: String, _ name: String, _ environment: [String: String]
    ) throws(DownloadError) -> String {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard let path = value(variable) ?? value("HOME").map({ "\($0)/.aws/\(name)" }) else { return "" }
        do {
            return try TextFile.read(path, atMost: longest, options: [.nonBlocking, .closeOnExec])
        } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
            return ""
        } catch {
            throw DownloadError(.badPath, "Cannot read the profiles in '\(path)': \(error).")
        }
    }
}
