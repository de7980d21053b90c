import SegmentedDL
internal import SegmentedDLMirror
import SegmentedDLServer

/// Resolves the locations of a daemon's mirrors as `segdl mirror` does.
struct MirrorLocations: Sendable {
    private let resolver = LocationResolver()

    /// Returns the source that a location names, with the token of the daemon's environment, or the login
    /// that the tools of registries have stored.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` or `invalidSetting`.
    @Sendable
    func locate(_ location: String) async throws -> LocatedMirror {
        try await DiskThread.run { [resolver] in
            let named = try MirrorSourceOption(
                location, format: .auto, base: nil, prefix: nil,
                hub: { () throws(DownloadError) in try resolver.hub() })
            var access = named.origin.map { MirrorAccess(for: $0) } ?? MirrorAccess()
            access.headers = named.headers
            guard case .registry(let image) = named.source else { return LocatedMirror(named.source, access) }
            return LocatedMirror(
                named.source, access, login: RegistryAccess.login(for: image.location, nil))
        }
    }
}
