internal import SegmentedDL
internal import SegmentedDLQueue
internal import SegmentedDLSupport

/// Sends the events of a queue to all WebSockets, in aria2's words.
final class NotificationHub: Sendable {
    /// Messages that may wait for a slow reader. A reader that misses any is cut off, because it would show a
    /// wrong state from then on.
    private static let longest = 10_000

    private struct State {
        var readers: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
        var last = 0
        /// Downloads that wait for a further try: for clients they are under way.
        var retrying: Set<Receipt.ID> = []
    }

    private let state = Lock(State())

    func makeStream() -> AsyncStream<[UInt8]> {
        let (stream, reader) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.longest))
        let number = state.withLock { state in
            state.last += 1
            state.readers[state.last] = reader
            return state.last
        }
        reader.onTermination = { [weak self] _ in self?.state.withLock { $0.readers[number] = nil } }
        return stream
    }

    func send(_ event: QueueEvent) {
        guard case .changed(let receipt, let before) = event,
            let method = state.withLock({ Self.method(receipt, before, &$0.retrying) })
        else { return }
        let message: JSONValue = [
            "jsonrpc": "2.0", "method": .string("aria2.\(method)"),
            "params": [["gid": .string(GID(of: receipt).description)]],
        ]
        let bytes = message.bytes
        for reader in state.withLock({ Array($0.readers.values) }) {
            if case .dropped = reader.yield(bytes) { reader.finish() }
        }
    }

    private static func method(
        _ receipt: Receipt, _ before: DownloadState, _ retrying: inout Set<Receipt.ID>
    ) -> String? {
        switch receipt.state {
        case .probing where before == .queued:
            return retrying.remove(receipt.id) == nil ? "onDownloadStart" : nil
        case .retrying:
            retrying.insert(receipt.id)
            return nil
        case .paused: return stopped("onDownloadPause", receipt, &retrying)
        case .completed: return stopped("onDownloadComplete", receipt, &retrying)
        case .failed: return stopped("onDownloadError", receipt, &retrying)
        case .cancelled: return stopped("onDownloadStop", receipt, &retrying)
        default: return nil
        }
    }

    private static func stopped(
        _ method: String, _ receipt: Receipt, _ retrying: inout Set<Receipt.ID>
    ) -> String {
        retrying.remove(receipt.id)
        return method
    }

    func finish() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        // Outside the lock, which `onTermination` takes.
        for reader in readers { reader.finish() }
    }
}
