internal import SegmentedDL

/// What became of a file.
enum FileOutcome: Sendable, Hashable {
    case done(DownloadResult)
    /// It was there already, and has this digest, as it should if that was said.
    case verified(Checksum, wasExpected: Bool)
    case failed(message: String, code: Int, exitStatus: Int32)
    /// Stopped because it was asked for.
    case cancelled

    /// What an error of the library means.
    init(_ error: any Error) {
        switch error {
        case let error as DownloadError:
            self = .failed(
                message: error.message, code: error.code.rawValue, exitStatus: error.exitStatus)
        case is CancellationError:
            self = .cancelled
        default:
            // The library throws nothing else; should it ever, the text is better than a trap.
            self = .failed(message: String(describing: error), code: 0, exitStatus: 1)
        }
    }
}
