internal import SegmentedDL
internal import SegmentedDLQueue

/// A sentence about why a download is or was not faster, or is not running.
enum SlowReason {
    /// - Returns: `nil` if no reason is known.
    static func sentence(_ receipt: Receipt, _ progress: DownloadProgress? = nil) -> String? {
        switch receipt.state {
        case .queued: "It is queued: other downloads use all allowed files or connections."
        case .retrying: receipt.error.map { "It is waiting before the next attempt: \($0.message)" }
        case .probing where receipt.bytesPerSecond == 0: "It is waiting for the server's first response."
        case .downloading where hasStartedOver(receipt, progress):
            "It started over because the server sends no byte ranges; earlier bytes do not count."
        case .downloading: receipt.bottleneck?.description
        case .completed: receipt.bottleneck?.pastDescription
        default: nil
        }
    }

    private static func hasStartedOver(_ receipt: Receipt, _ progress: DownloadProgress?) -> Bool {
        guard let progress, !progress.isResumable else { return false }
        return receipt.attempts > 1 || progress.cost.bytesUnused > 0
    }
}
