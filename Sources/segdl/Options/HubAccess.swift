import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

/// The model hub from the environment.
enum HubAccess {
    /// Returns the settings. Blocks: it may read the token file.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` or `invalidURL`.
    static func settings(
        environment: [String: String] = ProcessEnvironment.variables
    ) throws(DownloadError) -> HubSettings {
        try HubSettings(environment: environment)
    }

    /// Returns the settings if one of the URLs is a file in a hub; otherwise `nil`.
    ///
    /// - Throws: The errors of `settings`.
    static func settings(ifAnyOf urls: some Sequence<String>) throws(DownloadError) -> HubSettings? {
        urls.contains(where: HubLocation.isLocation) ? try settings() : nil
    }
}

extension [HTTPHeader] {
    /// True if they include the field that authenticates a request.
    var haveAuthorization: Bool { contains { $0.name.lowercased() == "authorization" } }
}
