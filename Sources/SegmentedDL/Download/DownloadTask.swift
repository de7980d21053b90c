internal import SystemPackage

/// A download as other parts of this package start it: a caller's request, with options that no caller has.
package struct DownloadTask: Sendable {
    package var request: DownloadRequest

    /// A mirror's terms; `nil` for any other download.
    package var mirror: MirrorTerms?

    /// True if the download fails where the server shows that the URL is a directory's.
    package var refusesDirectories = false

    /// False if a file that has the final name is replaced or refused, even if it is the right one.
    package var recognizesCopies = true

    /// True if an action follows the complete file: `ActionDebt` remembers it until it has succeeded.
    package var owesAction = false

    /// Takes a name for this download, and returns the other download of the same run that has it already;
    /// `nil` outside a run. It may block.
    package var takeName: (@Sendable (FilePath) -> NameOwner?)?

    /// Looks at the path of the file and at the content type of the answer, before anything is written; an
    /// error ends the download. It may block.
    package var examine: (@Sendable (FilePath, String?) throws(DownloadError) -> Void)?

    /// The files of an earlier run; `nil` for those that follow from the request and the configuration.
    package var paths: DownloadPaths?

    package init(_ request: DownloadRequest, mirror: MirrorTerms? = nil, paths: DownloadPaths? = nil) {
        self.request = request
        self.mirror = mirror
        self.paths = paths
    }
}
