internal import SegmentedDL

/// Why a complete download fetched nothing: its file already existed.
package enum FoundFile: String, Sendable, Hashable, Codable {
    /// The policy was to keep it.
    case skipped
    /// It equals the server's.
    case unchanged
    /// It is newer than the server's.
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
