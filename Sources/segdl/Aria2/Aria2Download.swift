import SegmentedDL
import SegmentedDLOptions
import SegmentedDLServer
import SystemPackage

/// One file to download, with aria2's options.
struct Aria2Download: Sendable {
    let gid: GID
    /// The sources of the file, as given.
    let uris: [String]
    let values: Aria2Values
    /// Why it cannot be downloaded, as a sentence.
    var fault: String?

    /// - Throws: `Aria2Failure` with status 1 for an invalid gid.
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

    /// True for a URI of a scheme that aria2 supports.
    static func isRecognized(_ uri: String) -> Bool {
        hasScheme(uri, ["http://", "https://", "ftp://", "sftp://", "magnet:"])
    }

    private static func hasScheme(_ uri: String, _ schemes: [String]) -> Bool {
        let start = uri.prefix(8).lowercased()
        return schemes.contains { start.hasPrefix($0) }
    }

    /// The first URI for display.
    var shownURI: String {
        guard let uri = uris.first else { return "" }
        if let source = try? Source(uri) { return source.description }
        return TextWidth.printable(String(uri.prefix { $0 != "?" && $0 != "@" }), ascii: false)
    }

    /// The directory of the file, in aria2's notation.
    var directory: String { values.nonEmpty("dir") ?? ProcessEnvironment.workingDirectory }

    /// Returns the path of the file, if known.
    ///
    /// - Parameter name: The server's name for it.
    func path(name: String? = nil) -> FilePath? {
        (values.nonEmpty("out") ?? name).map { FilePath(directory).appending($0) }
    }

    /// - Throws: `DownloadError` with code `invalidURL` or `invalidSetting`.
    func request() throws(DownloadError) -> DownloadRequest {
        if let fault { throw DownloadError(.invalidSetting, fault) }
        let place = path().map { DownloadRequest.Destination.file($0) } ?? .directory(FilePath(directory))
        let request = try values.request(uris, to: place)
        if request.source.location != nil { _ = try Source(request.source.url) }
        try refuseMetalink(DestinationPath.expected(for: request))
        return request
    }
}
