import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

/// The hub of models that the environment names.
enum HubAccess {
    /// The longest token file that is read, in bytes.
    private static let longest = 65_536

    /// Returns the settings. Blocks: it may read the file of the token.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` or `invalidURL`.
    static func settings(
        environment: [String: String] = ProcessEnvironment.variables
    ) throws(DownloadError) -> HubSettings {
        try HubSettings(environment: environment) { path in
            try? TextFile.read(path, atMost: longest, options: .nonBlocking)
        }
    }

    /// Returns the settings if one of the URLs is of a file in a hub; else `nil`.
    ///
    /// - Throws: As `settings`.
    static func settings(ifAnyOf urls: some Sequence<String>) throws(DownloadError) -> HubSettings? {
        urls.contains(where: HubLocation.isLocation) ? try settings() : nil
    }
}

extension [HTTPHeader] {
    /// True if one of them is the field with which a request authenticates.
    var haveAuthorization: Bool { contains { $0.name.lowercased() == "authorization" } }
}
