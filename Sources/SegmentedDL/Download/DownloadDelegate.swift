package import SystemPackage

/// The follower of a download's steps, which has a say in the file's path. The download waits for each
/// answer.
package protocol DownloadDelegate: Sendable {
    /// A step begins.
    func entered(_ state: DownloadState) async

    /// Returns the path for the file; `nil` for the one that follows from the request.
    func choosePath(for response: ResponseInfo) async throws -> FilePath?

    /// Takes the path for this download, before anything is written.
    ///
    /// - Returns: False if another download has the path.
    func claim(_ path: FilePath) async throws -> Bool

    /// Every byte is on disk and verified; when this returns, the file gets its final name.
    func willFinalize(_ path: FilePath, _ identity: FileIdentity) async throws
}
