import SegmentedDL
internal import SegmentedDLMirror
import SegmentedDLServer

/// Resolves the locations of a daemon's mirrors as `segdl mirror` does.
struct MirrorLocations: Sendable {
    private let resolver = LocationResolver()

    /// Returns the source for a location, with the token from the daemon's environment, or the login stored
    /// by registry tools.
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
