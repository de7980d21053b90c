internal import SegmentedDL
internal import SegmentedDLQueue

/// The one sentence that says why a download is not faster, or does not run.
enum SlowReason {
    /// - Returns: `nil` if nothing of this machine's settings holds it back.
    static func sentence(_ receipt: Receipt, _ limits: Limits, _ progress: DownloadProgress?) -> String? {
        switch receipt.state {
        case .queued:
            return "It waits for its turn: other downloads use the files or connections that are allowed."
        case .retrying: return receipt.error.map { "It waits before the next try: \($0.message)" }
        case .probing where receipt.bytesPerSecond == 0: return "It waits for the server's first answer."
        case .downloading: break
        default: return nil
        }
        if progress?.isResumable == false {
            return "The server sends no byte ranges, so that one connection has to fetch all."
        }
        if let rate = limits.rate, receipt.bytesPerSecond > Double(rate) * 0.9 {
            return "Your cap on the speed of all downloads is reached."
        }
        if receipt.connections == 0 { return "It waits for the server." }
        if receipt.connections >= limits.connections {
            return "All \(limits.connections) connections that are allowed are in use."
        }
        if receipt.connections >= limits.connectionsPerHost {
            return "All \(limits.connectionsPerHost) connections that are allowed to one server are in use."
        }
        return nil
    }
}
