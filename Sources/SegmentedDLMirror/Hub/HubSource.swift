public import SegmentedDL

/// The files of a repository of a hub of models, such as the Hugging Face Hub.
///
///     let settings = try HubSettings()
///     let source = HubSource(try HubLocation("hf://org/model"), settings)
///     var job = MirrorJob(root: directory)
///     job.access = source.access(settings)
///     let entries = downloader.entries(of: .hub(source), access: job.access)
///     let report = await downloader.mirror(job, of: entries).report()
///
/// A run reads the commit that the revision is at first, and lists and fetches that commit, so that its files
/// belong together. Large files have their SHA-256 from the hub.
public struct HubSource: Sendable, Hashable {
    /// The repository, and the directory or file of it that is wanted.
    public let location: HubLocation

    /// The hub's URL.
    public let endpoint: Source

    /// True if the hub gets a token, of which failures tell.
    let hasToken: Bool

    /// Creates the source of a location.
    public init(_ location: HubLocation, _ settings: HubSettings) {
        self.location = location
        endpoint = settings.endpoint
        hasToken = settings.token != nil
    }

    /// Returns the access that shows the token to the hub alone: for the job, and for its entries.
    public func access(_ settings: HubSettings) -> MirrorAccess {
        var access = MirrorAccess(for: endpoint)
        access.headers = settings.headers
        return access
    }

    /// Returns the URL of the file that the location names.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if it names a whole repository.
    public func file() throws(DownloadError) -> Source {
        guard !location.path.isEmpty else {
            throw DownloadError(
                .invalidURL,
                "'\(location)' names no file; write its whole path, or mirror the repository."
            ).remedied(by: .mirror)
        }
        return try location.url(of: location.path, at: location.wantedRevision, on: endpoint)
    }

    /// The text that tells the sources of two runs apart.
    var identity: String { "\(endpoint.identity) \(location)" }
}
