internal import SystemPackage

/// A download as started by other parts of this package: a caller's request with internal options.
package struct DownloadTask: Sendable {
    package var request: DownloadRequest

    /// A mirror's terms; `nil` for any other download.
    package var mirror: MirrorTerms?

    /// True to fail the download if the server shows that the URL is a directory.
    package var refusesDirectories = false

    /// False to replace or refuse an existing file with the final name, even if it is correct.
    package var recognizesCopies = true

    /// True to fail if the caller resumes another program's file that cannot be resumed, even if the policy
    /// is to store the server's file under another name: that name would hide the unfinished file.
    package var keepsUnfinished = false

    /// True to keep a file that already has the expected name without any request, whatever its content.
    package var keepsExisting = false

    /// True if an action follows the download: `PendingAction` records it until it has succeeded.
    package var hasPendingAction = false

    /// Reserves a name for this download, or returns the other download of the same run that has reserved it;
    /// `nil` outside a run. May block.
    package var takeName: (@Sendable (FilePath) -> NameOwner?)?

    /// Checks the path of the file and the content type of the response, before anything is written; an error
    /// ends the download. May block.
    package var examine: (@Sendable (FilePath, String?) throws(DownloadError) -> Void)?

    /// The files of an earlier run; `nil` for those derived from the request and the configuration.
    package var paths: DownloadPaths?

    package init(_ request: DownloadRequest, mirror: MirrorTerms? = nil, paths: DownloadPaths? = nil) {
        self.request = request
        self.mirror = mirror
        self.paths = paths
    }
}

/// The other download of a run that has reserved a name.
package enum NameOwner: Equatable, Sendable {
    /// It has reserved exactly this path.
    case path(of: Source)
    /// Its path differs only in case, and the file system treats both as one.
    case spelling(FilePath)
}
