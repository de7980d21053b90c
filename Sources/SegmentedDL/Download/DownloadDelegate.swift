internal import SystemPackage

/// The follower of a download's steps, which has a say in the file's path. The download waits for each
/// answer.
package protocol DownloadDelegate: Sendable {
    /// The longest wait that a host may ask for before the download is given up for now; `nil` for any.
    var patienceSeconds: Double? { get }

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

extension DownloadDelegate {
    package var patienceSeconds: Double? { nil }
    package func entered(_ state: DownloadState) async {}
    package func choosePath(for response: ResponseInfo) async throws -> FilePath? { nil }
    package func claim(_ path: FilePath) async throws -> Bool { true }
    package func willFinalize(_ path: FilePath, _ identity: FileIdentity) async throws {}
}
