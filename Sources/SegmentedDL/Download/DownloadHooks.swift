internal import SystemPackage

/// Closures that a download calls at its steps, and that may end it by throwing. Each may be `nil`.
package struct DownloadHooks: Sendable {
    /// Called when a step begins.
    package var entered: (@Sendable (DownloadState) async -> Void)?

    /// Reserves a name for this download, or returns the other download of the same run that has reserved it.
    /// Called with the expected name before the first request, and later with each candidate. May block.
    package var takeName: (@Sendable (FilePath) -> NameOwner?)?

    /// Returns the path for the file; `nil` for the one derived from the request. On the fast path for small
    /// files, it may throw `LeavesFastPath`.
    package var choosePath: (@Sendable (ResponseInfo) async throws -> FilePath?)?

    /// Checks the path of the file and the content type of the response, before anything is written. May
    /// block.
    package var examine: (@Sendable (FilePath, String?) throws(DownloadError) -> Void)?

    /// Reserves the path for this download, before anything is written. Returns false if another download has
    /// reserved it.
    package var claim: (@Sendable (FilePath) async throws -> Bool)?

    /// Called when every byte is on disk and verified. The file is renamed to its final name after this
    /// returns.
    package var willFinalize: (@Sendable (FilePath, FileIdentity) async throws -> Void)?

    /// Records a verified file. The journal that it returns is committed before the file is renamed to its
    /// final name, together with the records of other files. May block.
    package var record: (@Sendable (CompleteCopy) -> any CompletionJournal)?

    package init() {}
}
