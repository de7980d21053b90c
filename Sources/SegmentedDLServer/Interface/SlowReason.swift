internal import SegmentedDL
internal import SegmentedDLQueue

/// The one sentence that says why a download is or was not faster, or does not run.
enum SlowReason {
    /// - Returns: `nil` if nothing shows a reason.
    static func sentence(_ receipt: Receipt) -> String? {
        switch receipt.state {
        case .queued: "It waits for its turn: other downloads use the files or connections that are allowed."
        case .retrying: receipt.error.map { "It waits before the next try: \($0.message)" }
        case .probing where receipt.bytesPerSecond == 0: "It waits for the server's first answer."
        case .downloading: receipt.bottleneck?.description
        case .completed: receipt.bottleneck?.pastDescription
        default: nil
        }
    }
}
