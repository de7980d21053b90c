internal import SegmentedDL
internal import SegmentedDLQueue

/// Maps events of the queue to aria2's notifications (aria2's manual, Notifications).
struct NotificationRule {
    /// Downloads that wait for a retry, which are active from the clients' point of view.
    private var retrying: Set<Receipt.ID> = []

    /// Returns the message for an event; `nil` if aria2 has none.
    mutating func message(_ event: QueueEvent) -> JSONValue? {
        guard case .changed(let receipt, let before) = event, let method = method(receipt, before) else {
            return nil
        }
        return [
            "jsonrpc": "2.0", "method": .string("aria2.\(method)"),
            "params": [["gid": .string(GID(of: receipt).description)]],
        ]
    }

    private mutating func method(_ receipt: Receipt, _ before: DownloadState) -> String? {
        switch receipt.state {
        case .probing where before == .queued:
            return retrying.remove(receipt.id) == nil ? "onDownloadStart" : nil
        case .retrying:
            retrying.insert(receipt.id)
            return nil
        case .paused: return stopped("onDownloadPause", receipt)
        case .completed: return stopped("onDownloadComplete", receipt)
        case .failed: return stopped("onDownloadError", receipt)
        case .cancelled: return stopped("onDownloadStop", receipt)
        default: return nil
        }
    }

    private mutating func stopped(_ method: String, _ receipt: Receipt) -> String {
        retrying.remove(receipt.id)
        return method
    }
}
