internal import SystemPackage

/// Observes a download's steps, and may choose the file's path. The download awaits each call.
package protocol DownloadDelegate: Sendable {
    /// The maximum delay that a host may request before the download is postponed; `nil` for any.
    var patienceSeconds: Double? { get }

    /// A step begins.
    func entered(_ state: DownloadState) async

    /// Returns the path for the file; `nil` for the one derived from the request.
    func choosePath(for response: ResponseInfo) async throws -> FilePath?

    /// Reserves the path for this download, before anything is written.
    ///
    /// - Returns: False if another download has reserved the path.
    func claim(_ path: FilePath) async throws -> Bool

    /// Called when every byte is on disk and verified. The file is renamed to its final name after this
    /// returns.
    func willFinalize(_ path: FilePath, _ identity: FileIdentity) async throws
}

extension DownloadDelegate {
    package var patienceSeconds: Double? { nil }
    package func entered(_ state: DownloadState) async {}
    package func choosePath(for response: ResponseInfo) async throws -> FilePath? { nil }
    package func claim(_ path: FilePath) async throws -> Bool { true }
    package func willFinalize(_ path: FilePath, _ identity: FileIdentity) async throws {}
}
