public import Foundation
public import SegmentedDL

/// For programs that pass errors on as `NSError`.
extension DownloadError: CustomNSError {
    /// `SegmentedDL.DownloadError`, the same on all platforms.
    public static var errorDomain: String { "SegmentedDL.DownloadError" }

    /// The number of the code, equal to ``Code/rawValue``.
    public var errorCode: Int { code.rawValue }

    /// The parts of the message, and the cause as the underlying error.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [:]
        info[NSLocalizedDescriptionKey] = errorDescription
        info[NSLocalizedFailureReasonErrorKey] = failureReason
        info[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
        if let cause { info[NSUnderlyingErrorKey] = cause }
        return info
    }
}
