public import SegmentedDL

/// The files of a repository of a model hub, such as the Hugging Face Hub.
///
///     let settings = try HubSettings()
///     let source = HubSource(try HubLocation("hf://org/model"), settings)
///     var job = MirrorJob(root: directory)
///     job.access = source.access(settings)
///     let entries = downloader.entries(of: .hub(source), access: job.access)
///     let report = await downloader.mirror(job, of: entries).report()
///
/// A run first resolves the revision to a commit, then lists and fetches that commit, so that all files
/// belong to one version. The hub publishes the SHA-256 of large files.
public struct HubSource: Sendable, Hashable {
    /// The repository, and the directory or file in it to mirror.
    public let location: HubLocation

    /// The hub's URL.
    public let endpoint: Source

    /// True if requests to the hub send a token; affects error messages.
    let hasToken: Bool

    /// The origin of that token; affects error messages.
    let tokenOrigin: HubSettings.TokenOrigin?

    /// True if `HF_ENDPOINT` sets the hub's URL; affects error messages.
    let isEndpointOfVariable: Bool

    /// The API that the hub speaks.
    let dialect: HubDialect

    /// Creates the source of a location.
    public init(_ location: HubLocation, _ settings: HubSettings) {
        self.location = location
        endpoint = settings.endpoint
        hasToken = settings.token != nil
        tokenOrigin = settings.tokenOrigin
        isEndpointOfVariable = settings.isEndpointOfVariable
        dialect = settings.dialect
    }

    /// Returns the access that sends the token only to the hub: for the job, and for its entries.
    public func access(_ settings: HubSettings) -> MirrorAccess {
        var access = settings.access
        access.origin = endpoint
        return access
    }

    /// Returns the URL of the file that the location names.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if it names a whole repository.
    public func file() throws(DownloadError) -> Source {
        try location.checkNamesFile()
        return try url(of: location.path)
    }

    /// The revision, or the default branch.
    var revision: String { location.revision ?? dialect.defaultRevision }

    /// Returns the URL of a file at the revision, or at a commit.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    func url(of file: String, at commit: String? = nil) throws(DownloadError) -> Source {
        try Source(
            "\(HubLocation.base(endpoint))\(dialect.prefix(of: location.kind))\(location.repository)/resolve/\(PercentEncoding.query(commit ?? revision))/\(PercentEncoding.path(file))"
        )
    }

    /// Returns the location of a file at the revision, or at a commit; `nil` if no location can name it.
    func fileLocation(of file: String, at commit: String? = nil) -> HubLocation? {
        let location = try? location.file(file, at: commit ?? revision)
        return location?.path == file ? location : nil
    }

    /// Identifies this source in the mirror's state.
    var identity: String { "\(endpoint.identity) \(location)" }
}
