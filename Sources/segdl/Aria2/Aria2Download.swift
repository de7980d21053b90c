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

    /// True for text that aria2 also reads as a URI. A scheme that is not supported is an error of the file.
    static func isRecognized(_ uri: String) -> Bool {
        uri.contains("://") || uri.lowercased().hasPrefix("magnet:")
    }

    /// The first URI for display.
    var shownURI: String {
        guard let uri = uris.first else { return "" }
        if let source = try? Source(uri) { return source.description }
        return TextWidth.printable(URLParser.redacted(uri), ascii: false)
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

extension Aria2Download {
    private static let metalinkTypes = ["application/metalink4+xml", "application/metalink+xml"]

    /// Refuses a Metalink that aria2 would follow, because the user wants the files described by it, not the
    /// Metalink.
    ///
    /// - Parameters:
    ///   - path: The path of the file, if known.
    ///   - type: The Content-Type of the response, if received.
    /// - Throws: `DownloadError` with code `invalidURL`.
    func refuseMetalink(_ path: FilePath?, type: String? = nil) throws(DownloadError) {
        guard values.text("follow-metalink") != "false" else { return }
        let type = type?.lowercased() ?? ""
        let isNamedSo = path.map { VerifyItem.isMetalink($0.string) } ?? false
        guard isNamedSo || Self.metalinkTypes.contains(where: type.hasPrefix) else { return }
        throw DownloadError(
            .invalidURL,
            "'\(shownURI)' is a Metalink, which describes files. Fetch them with: segdl mirror URL DIR. To save only the Metalink, use --follow-metalink=false."
        )
    }
}

extension Aria2Download {
    /// True if an earlier run left a file that must be resumed under its name: one with aria2's control file
    /// next to it or, with --continue, one that is no longer than a numbered file. Otherwise the numbered
    /// file would be complete, and the named file would remain unfinished. Blocks.
    var hasFileToContinue: Bool {
        guard let request = try? request(), let path = DestinationPath.expected(for: request),
            !request.startsOver, let length = Self.length(at: path)
        else { return false }
        if ControlFile.isThere(for: path) { return true }
        return request.takesOver
            && DestinationChoice.takenNames(for: path).contains { Self.length(at: $0) ?? 0 >= length }
    }

    private static func length(at path: FilePath) -> Int64? {
        let status = try? SystemCalls.statusFollowingLinks(path)
        return status?.kind == .file ? status?.size : nil
    }

    /// Checks the name sent by the server for a file that does not resume another. Blocks.
    ///
    /// - Throws: `DownloadError` with code `fileExists` if there is a file with that name that aria2 has not
    ///   finished.
    func checkIsFree(_ path: FilePath) throws(DownloadError) {
        guard ControlFile.isThere(for: path), Self.length(at: path) != nil else { return }
        throw DownloadError(
            .fileExists,
            "'\(path)' is an unfinished aria2 download, because '\(ControlFile.path(for: path))' exists; to resume it, specify it with --out."
        )
    }
}
