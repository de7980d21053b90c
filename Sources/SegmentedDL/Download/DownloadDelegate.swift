internal import SystemPackage

/// Who follows a download's steps, and has a say in where its file goes. The download waits for each answer.
protocol DownloadDelegate: Sendable {
    /// A step begins.
    func entered(_ state: DownloadState) async

    /// - Returns: The path for the file; `nil` for what the request says.
    func choosePath(for response: ResponseInfo) async throws -> FilePath?

    /// The file will go there: nothing has been written yet.
    ///
    /// - Returns: Whether it may: `false` if another download's bytes are there.
    func claim(_ path: FilePath) async throws -> Bool

    /// Every byte is there and verified; when this returns, the file gets its final name.
    func willFinalize(_ path: FilePath, _ identity: FileIdentity) async throws
}

extension FileDownload {
    func enter(_ state: DownloadState) async {
        tracker.enter(state)
        await delegate?.entered(state)
    }

    func claim(_ path: FilePath) async throws -> Bool {
        try await delegate?.claim(path) ?? true
    }
}
