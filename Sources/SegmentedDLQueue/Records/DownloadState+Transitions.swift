public import SegmentedDL

extension DownloadState {
    /// The states that can follow this one for a queued download.
    ///
    /// The article "States of a download" shows this table; a download can be removed from any state.
    var successors: Set<DownloadState> {
        switch self {
        case .queued: [.probing, .paused, .cancelled]
        case .probing:
            [
                .downloading, .verifying, .finalizing, .completed, .retrying, .failed, .queued, .paused,
                .cancelled,
            ]
        case .downloading:
            [.probing, .verifying, .finalizing, .retrying, .failed, .queued, .paused, .cancelled]
        case .verifying: [.probing, .finalizing, .retrying, .failed, .queued, .paused, .cancelled]
        case .finalizing: [.probing, .completed, .retrying, .failed, .queued, .paused, .cancelled]
        case .retrying: [.queued, .paused, .cancelled]
        case .paused: [.queued, .cancelled]
        case .completed: [.queued]
        case .failed: [.queued, .cancelled]
        case .cancelled: [.queued]
        }
    }

    /// True if a download in this state runs.
    public var isActive: Bool {
        switch self {
        case .probing, .downloading, .verifying, .finalizing: true
        case .queued, .retrying, .paused, .completed, .failed, .cancelled: false
        }
    }
}
