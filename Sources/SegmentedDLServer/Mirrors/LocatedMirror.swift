package import SegmentedDL
package import SegmentedDLMirror

/// The source of a mirror, and the data that is sent only to its server.
package struct LocatedMirror: Sendable {
    package let source: MirrorSource
    package var access: MirrorAccess
    /// Returns the login for the registry of an image; `nil` for anonymous requests.
    package let login: @Sendable () async throws -> RegistryLogin?

    /// Creates a source with the default access, which is used if the client supplies none.
    package init(
        _ source: MirrorSource, _ access: MirrorAccess,
        login: @escaping @Sendable () async throws -> RegistryLogin? = { nil }
    ) {
        self.source = source
        self.access = access
        self.login = login
    }
}

/// Resolves a location (`hf://`, `oci://`) with the settings and secrets of the daemon's process.
package typealias MirrorLocator = @Sendable (_ location: String) async throws -> LocatedMirror
