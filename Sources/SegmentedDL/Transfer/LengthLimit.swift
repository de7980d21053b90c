/// The maximum length of a file.
struct LengthLimit: Equatable, Sendable {
    /// Bytes.
    let most: Int64
    /// The source as given by the caller.
    let source: Source

    /// Returns the error for a file that exceeds or may exceed it.
    ///
    /// - Parameter clause: A clause with the known facts about its length.
    func error(_ clause: String) -> DownloadError {
        DownloadError(
            .lengthMismatch,
            "\(source): \(clause), but only \(most) are allowed; raise or remove the limit.",
            url: source.description)
    }

    /// The failure of a file whose excess length was discovered only as bytes arrived.
    var exceeded: TransferFailure { .other(error("the file has more than \(most) bytes")) }

    /// Returns true if a number of bytes exceeds a limit; without a limit, any number is allowed.
    static func isExceeded(_ limit: LengthLimit?, by bytes: Int64) -> Bool {
        limit.map { bytes > $0.most } ?? false
    }
}

extension DownloadRequest {
    /// The limit of the file's length; `nil` for none.
    var lengthLimit: LengthLimit? { maximumLength.map { LengthLimit(most: $0, source: source) } }
}
