internal import SegmentedDL

enum FileOutcome: Sendable, Hashable {
    case done(DownloadResult)
    /// The file existed and has this digest, which is correct if one was expected.
    case verified(Checksum, wasExpected: Bool)
    /// - Parameter reason: The server's reason for its refusal.
    case failed(message: String, code: Int, exitStatus: Int32, reason: String? = nil)
    /// The download was stopped by a signal or a command.
    case cancelled

    /// Creates the outcome for a library error.
    init(_ error: any Error) {
        switch error {
        case let error as DownloadError:
            self = .failed(
                message: error.commandMessage, code: error.code.rawValue, exitStatus: error.exitStatus,
                reason: error.reason)
        case is CancellationError:
            self = .cancelled
        default:
            // The library throws no other errors, but show one anyway, because a trap would be worse.
            self = .failed(message: String(describing: error), code: 0, exitStatus: 1)
        }
    }

    var exitStatus: Int32 {
        switch self {
        case .done, .verified: 0
        case .failed(_, _, let status, _): status
        case .cancelled: 130
        }
    }
}
