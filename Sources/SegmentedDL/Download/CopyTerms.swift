/// What a mirror asks of a download, beyond what any caller can: that a copy which is still good is left as it is, and
/// that a complete file is known before it has its name.
struct CopyTerms: Sendable {
    /// A copy that is there.
    struct Known: Sendable {
        /// What makes the server answer that it is still the file.
        var condition: Condition
        /// Bytes.
        var length: Int64
    }

    /// The copy that the server is asked about; `nil` to get the file in any case.
    var known: Known?

    /// The source that it is of; `nil` for the first one. Others are not asked about it.
    var asked: Source?

    /// Whether an earlier run has left something of the file.
    var isUnfinished = true

    /// Whether the server is only asked. A file that has changed is not fetched then; it counts as skipped.
    var onlyAsks = false

    /// Where complete files are noted before they get their names.
    var ledger: any Ledger

    /// Told of each complete file; the ledger is stored next.
    var note: @Sendable (CompleteCopy) -> Void
}

/// What has to be known of files before they get their names.
protocol Ledger: AnyObject, Sendable {
    /// Stores all that was noted, or throws, and none of the files gets its name. Blocks.
    func storeNotes() throws
}

/// A complete and verified file that only lacks its name.
struct CompleteCopy: Sendable {
    /// What it will still have under its name, its date included.
    var identity: FileIdentity
    /// Digests that were computed; SHA-256 is one of them.
    var digests: [Checksum]
    var validators: Validators
    /// Which source the validators are of; `nil` for the first one.
    var source: Source?
}

extension FileDownload {
    /// The server said that the copy which is there is still the file.
    func unchanged() throws -> DownloadResult {
        guard case .file(let path) = request.destination, let known = request.copy?.known else {
            throw TransferFailure.refused(status: 304)
        }
        return DownloadResult(
            outcome: .unchanged, path: path, length: known.length, bytesWritten: 0, duration: .zero,
            connections: 0)
    }
}
