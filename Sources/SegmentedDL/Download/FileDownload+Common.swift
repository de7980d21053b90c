internal import SystemPackage

/// The helpers of several steps of a download.
extension FileDownload {
    // MARK: The delegate

    func enter(_ state: DownloadState) async {
        tracker.enter(state)
        await delegate?.entered(state)
    }

    func claim(_ path: FilePath) async throws -> Bool {
        try await delegate?.claim(path) ?? true
    }

    // MARK: Checks

    /// Returns the digests that the file must have.
    func expectations(_ server: ServerDigest?) -> Expectations {
        Expectations(
            checksums: request.checksums, server: server, wantsSHA256: task.mirror != nil)
    }

    /// Returns the check of a file's pieces; `nil` without digests or without a length.
    ///
    /// - Throws: `DownloadError` with code `lengthMismatch` if the pieces are those of another file.
    func pieceCheck(_ file: IncompleteFile, _ pieces: PieceHashes?, length: Int64?) throws -> PieceCheck? {
        guard let pieces, let length else { return nil }
        return try PieceCheck(file.part, pieces, total: length)
    }

    /// - Throws: `DownloadError` with code `lengthMismatch` if the file is known to have another length.
    func checkLength(_ length: Int64) throws {
        guard let expected = request.expectedLength, length != expected else { return }
        throw DownloadError(
            .lengthMismatch,
            "\(request.source): the file has \(length) bytes, but \(expected) were expected; it may have changed.",
            url: request.source.description)
    }

    // MARK: Errors

    /// Returns the error that the caller gets.
    ///
    /// - Parameter source: The source that failed; `nil` for the first one.
    func publicError(_ error: any Error, _ source: Source? = nil) -> any Error {
        switch error {
        case let failure as TransferFailure:
            let name = tracker.progress().name ?? request.source.description
            return failure.error(for: source ?? client.source, file: name)
        case let error as StorageError:
            return error.asDownloadError
        default:
            return error
        }
    }

    static func claimedError(_ path: FilePath) -> DownloadError {
        DownloadError(
            .duplicate,
            "Another download of this queue goes to '\(path)'; wait for it, or choose another name.")
    }
}
