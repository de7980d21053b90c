import SegmentedDL
import SegmentedDLServer
import SystemPackage

/// One file to download, with aria2's options.
struct Aria2Download: Sendable {
    let gid: GID
    /// The sources of the file, as they were given.
    let uris: [String]
    let values: Aria2Values
    /// The reason why it cannot be fetched, as a sentence.
    var fault: String?

    /// - Throws: `Aria2Failure` with status 1 for a gid that is not one.
    init(_ uris: [String], _ values: Aria2Values) throws(Aria2Failure) {
        self.uris = uris
        self.values = values
        guard let text = values.nonEmpty("gid") else {
            gid = .random()
            return
        }
        guard let gid = GID(text) else {
            throw Aria2Failure(
                message: "\(TextWidth.printable(text, ascii: false)) is invalid for GID.", status: 1)
        }
        self.gid = gid
    }

    /// True for a URI that aria2 knows how to fetch.
    static func isRecognized(_ uri: String) -> Bool {
        hasScheme(uri, ["http://", "https://", "ftp://", "sftp://", "magnet:"])
    }

    private static func hasScheme(_ uri: String, _ schemes: [String]) -> Bool {
        let start = uri.prefix(8).lowercased()
        return schemes.contains { start.hasPrefix($0) }
    }

    /// The first URI as it may be shown.
    var shownURI: String {
        guard let uri = uris.first else { return "" }
        if let source = try? Source(uri) { return source.description }
        return TextWidth.printable(String(uri.prefix { $0 != "?" && $0 != "@" }), ascii: false)
    }

    /// The directory of the file, as aria2 writes it.
    var directory: String { values.nonEmpty("dir") ?? ProcessEnvironment.workingDirectory }

    /// Returns the path of the file, as far as it is known.
    ///
    /// - Parameter name: The server's name for it.
    func path(name: String? = nil) -> FilePath? {
        (values.nonEmpty("out") ?? name).map { FilePath(directory).appending($0) }
    }

    /// - Throws: `DownloadError` with code `invalidURL` or `invalidSetting`.
    func request() throws(DownloadError) -> DownloadRequest {
        if let fault { throw DownloadError(.invalidSetting, fault) }
        var sources: [Source] = []
        for uri in uris where Self.hasScheme(uri, ["http://", "https://"]) { sources.append(try Source(uri)) }
        guard let first = sources.first else {
            throw DownloadError(
                .invalidURL, "segdl downloads over http and https, and has no torrents and ftp.")
        }
        let place = path().map { DownloadRequest.Destination.file($0) } ?? .directory(FilePath(directory))
        var request = DownloadRequest(first, to: place)
        request.makesDirectory = true
        request.mirrors = Array(sources.dropFirst())
        request.segments = .fixed(connections(hosts: Set(sources.map(\.origin)).count))
        request.rate = values.limit("max-download-limit")
        request.headers = headers(for: first)
        if let user = values.nonEmpty("http-user") {
            request.credentials = Credentials(user: user, password: values.text("http-passwd") ?? "")
        }
        if let checksum = values.nonEmpty("checksum") {
            request.checksums = [try Checksum(parsing: checksum)]
        }
        request.naming = .finalURL
        request.ifExists = ifExists
        request.takesOver = values.flag("continue")
        request.startsOver = values.flag("remove-control-file") && values.flag("allow-overwrite")
        request.keepsRemoteDate = values.flag("remote-time")
        try refuseMetalink(DestinationPath.expected(for: request))
        return request
    }

    /// The most connections of the file (aria2's manual, --split and --max-connection-per-server).
    func connections(hosts: Int) -> Int {
        Aria2Rules.connections(
            split: values.number("split"), perServer: values.number("max-connection-per-server"), hosts: hosts
        )
    }

    /// aria2's rules for a name that is taken.
    private var ifExists: ExistingFilePolicy {
        Aria2Rules.ifExists(
            isConditional: values.flag("conditional-get"), mayOverwrite: values.flag("allow-overwrite"),
            mayRename: values.flag("auto-file-renaming"))
    }

    private func headers(for source: Source) -> [HTTPHeader] {
        // Callers send fields that each download sets by itself, such as Accept-Encoding.
        var headers = values.list("header").compactMap { HTTPHeader(parsing: $0) }.filter {
            !DownloadRequest.ownHeaders.contains($0.name.lowercased())
        }
        if let referer = values.nonEmpty("referer") {
            headers.append(HTTPHeader("Referer", referer == "*" ? source.url : referer))
        }
        if let agent = values.nonEmpty("user-agent") { headers.append(HTTPHeader("User-Agent", agent)) }
        if values.flag("http-no-cache") { headers += Aria2Rules.noCache }
        return headers
    }
}
