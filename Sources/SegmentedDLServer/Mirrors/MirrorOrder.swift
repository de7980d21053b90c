internal import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
internal import SystemPackage

/// A mirror as requested by a client. It is stored unchanged, including headers and a password in the URL.
struct MirrorOrder: Sendable, Equatable, Codable {
    /// The URL of the directory, bucket or list, or the location of a repository or an image.
    var source: String
    /// The kind of source.
    var format = MirrorFormat.auto
    /// The key prefix of the selected objects of a bucket.
    var prefix = ""
    /// The directory of the mirror, absolute, below one of the daemon's.
    var directory: String
    /// Globs of the included files.
    var include: [String] = []
    /// Globs of the excluded files.
    var exclude: [String] = []
    /// The maximum depth of directories; `nil` for all.
    var depth: Int?
    /// True to remove files that an earlier run fetched and the source no longer has.
    var deletes = false
    /// Header fields for the source's server, as `Name: value`.
    var headers: [String] = []

    /// The accepted media types of each file; `nil` for any, as stored by earlier versions.
    var expectedTypes: [String]?

    init(source: String, directory: String) {
        self.source = source
        self.directory = directory
    }

    var root: FilePath { FilePath(directory) }

    /// True for a repository of a hub, or an image of a registry.
    var isLocation: Bool {
        switch LocationScheme(of: source) {
        case .hub, .image: true
        case .object, nil: false
        }
    }

    /// The source as shown to clients.
    var shownSource: String { isLocation ? source : (try? url().url) ?? "" }

    /// - Throws: `DownloadError` with code `invalidURL`.
    func url() throws(DownloadError) -> Source { try Source(source) }

    /// - Throws: `DownloadError` with code `invalidSetting` for a malformed glob.
    func filter() throws(DownloadError) -> PathFilter {
        try PathFilter(include: include, exclude: exclude)
    }

    /// Returns the headers and credentials for the source's server: the client's own, otherwise the daemon's.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` for a malformed header field.
    func access(to url: Source, usual: Authorization) throws(DownloadError) -> MirrorAccess {
        var access = MirrorAccess(for: url)
        access.headers = try ownHeaders()
        if headers.isEmpty, !url.hasCredentials {
            access.headers = usual.headers
            access.credentials = usual.credentials
        }
        return access
    }

    /// Returns the access to a location's server with the client's headers added. An Authorization field of
    /// the client replaces the token of the daemon's process.
    ///
    /// - Throws: The error of `access(to:usual:)`.
    func access(over given: MirrorAccess) throws(DownloadError) -> MirrorAccess {
        var access = given
        let own = try ownHeaders()
        if own.haveAuthorization { (access.headers, access.credentials) = ([], nil) }
        access.headers += own
        return access
    }

    private func ownHeaders() throws(DownloadError) -> [HTTPHeader] {
        var fields: [HTTPHeader] = []
        for line in headers {
            guard let header = HTTPHeader(parsing: line),
                !DownloadRequest.ownHeaders.contains(header.name.lowercased())
            else {
                throw DownloadError(
                    .invalidSetting,
                    "'\(Printable.text(line))' is not a header field of a mirror; write it as 'Name: value'.")
            }
            fields.append(header)
        }
        return fields
    }

    /// Checks everything that can be checked without the network.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` or `invalidSetting`.
    func validate() throws(DownloadError) {
        if !isLocation { _ = try url() }
        _ = try filter()
        _ = try ownHeaders()
        for type in expectedTypes ?? [] { try MediaRange.checked(type) }
        guard prefix.isEmpty || format == .s3 else {
            throw DownloadError(
                .invalidSetting, "A prefix can only be set for a bucket; choose the format s3, or remove it.")
        }
        guard !isLocation || format == .auto else {
            throw DownloadError(
                .invalidSetting,
                "A format can only be set for a URL; remove it, because the location implies its kind.")
        }
        guard LocationScheme(of: source) != .image || !deletes else {
            throw DownloadError(
                .invalidSetting,
                "No files can be removed from an image layout; add the mirror without removing files.")
        }
    }
}
