internal import SegmentedDL

/// The reason why a download that is complete needed no bytes: its file was there.
package enum FoundFile: String, Sendable, Hashable, Codable {
    /// The policy was to leave it.
    case skipped
    /// It is the server's.
    case unchanged
    /// It is younger than the server's.
    case younger

    /// Returns `nil` for a result whose file was downloaded.
    init?(_ result: DownloadResult) {
        switch result.outcome {
        case .downloaded: return nil
        case .skipped: self = .skipped
        case .unchanged: self = result.isYounger ? .younger : .unchanged
        }
    }
}
