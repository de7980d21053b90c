public import SegmentedDL
public import SystemPackage

/// The manifests and blobs of an image in a registry, as files of an OCI layout (`blobs/sha256/…`).
///
///     var source = try RegistrySource(RegistryLocation("oci://docker.io/library/alpine:3.20"))
///     source.layout = directory
///     var job = MirrorJob(root: directory)
///     job.access = source.access(with: downloader)
///     let entries = downloader.entries(of: .registry(source), access: job.access)
///     let layout = ImageLayout(of: source, at: directory)
///     let report = await downloader.mirror(job, of: layout.entries(entries)).report()
///     if report.isComplete { try layout.publish() }
///
/// Each file has the digest stated in its manifest. The list begins with the top-level manifest. Signatures
/// and other artifacts that refer to the image are not listed.
public struct RegistrySource: Sendable, Hashable {
    /// The image.
    public let location: RegistryLocation

    /// The URL of the registry.
    public let endpoint: Source

    /// The platform whose files are listed; `nil` for all.
    public var platform: ImagePlatform?

    /// The layout in which manifests are stored as they are read, and from which previously stored manifests
    /// are read; `nil` for none.
    public var layout: FilePath?

    /// Creates the source for a location.
    ///
    /// - Parameters:
    ///   - location: The image.
    ///   - isPlain: True for a registry without TLS; `nil` to use plain HTTP only for registries on this
    ///     machine.
    /// - Throws: `DownloadError` with code `invalidURL`.
    public init(_ location: RegistryLocation, isPlain: Bool? = nil) throws(DownloadError) {
        self.location = location
        let plain = try Source("http://\(location.host)/")
        let usesTLS = !(isPlain ?? plain.origin.isOfThisMachine)
        endpoint = usesTLS ? try Source("https://\(location.host)/") : plain
    }

    /// Returns the access for the job and its entries: tokens in response to the registry's challenges (the
    /// token authentication of Docker's distribution), requested again when they expire, or a user name and
    /// password.
    ///
    /// - Parameters:
    ///   - downloader: Fetches the tokens.
    ///   - login: Returns the login for the registry; `nil` for anonymous requests.
    /// - Returns: The access to the registry only, not to the stores that it redirects to.
    public func access(
        with downloader: Downloader,
        login: @escaping @Sendable () async throws -> RegistryLogin? = { nil }
    ) -> MirrorAccess {
        var access = MirrorAccess(for: endpoint)
        let tokens = RegistryTokens(source: self, downloader: downloader, login: login)
        access.credentials = .authorization(from: AuthorizationSource { try await tokens.field(for: $0) })
        return access
    }

    /// Identifies this source in the mirror's state.
    var identity: String { "\(endpoint.identity) \(location) \(platform?.description ?? "")" }
}
