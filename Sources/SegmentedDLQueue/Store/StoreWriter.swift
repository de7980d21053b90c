internal import Dispatch
internal import SegmentedDL
import SegmentedDLSupport

/// Writes a queue's changes behind its back, in order and in batches, on a thread of its own.
///
/// What could not be written is kept, and tried again with the next change.
final class StoreWriter: Sendable {
    private struct State {
        /// The newest change of each download; the batch is one transaction, so their order does not matter.
        var pending: [Receipt.ID: QueueStore.Change] = [:]
        var submitted = 0
        /// All changes up to this one are in the store.
        var stored = 0
        var isScheduled = false
        var waiters: [(upTo: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let store: QueueStore
    private let queue = DispatchQueue(label: "SegmentedDL.queue")
    private let state = Lock(State())

    init(_ store: QueueStore) {
        self.store = store
    }

    /// - Returns: The change's number.
    @discardableResult
    func submit(_ change: QueueStore.Change) -> Int {
        let (number, isFirst) = state.withLock { state in
            state.pending[change.id] = change
            state.submitted += 1
            defer { state.isScheduled = true }
            return (state.submitted, !state.isScheduled)
        }
        if isFirst { queue.async { self.write() } }
        return number
    }

    /// All changes up to that number are in the store.
    var stored: Int { state.withLock { $0.stored } }

    /// Returns when everything submitted so far is stored.
    ///
    /// - Throws: `DownloadError`, as of `QueueStore.apply`.
    func flush() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiters.append((state.submitted, continuation))
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            if isFirst { queue.async { self.write() } }
        }
    }

    /// Closes the store once what is under way is written.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [store] in
                store.close()
                continuation.resume()
            }
        }
    }

    private func write() {
        let (batch, upTo) = state.withLock { state in
            state.isScheduled = false
            defer { state.pending = [:] }
            return (state.pending, state.submitted)
        }
        let result = Result { () throws(DownloadError) in
            if !batch.isEmpty { try store.apply(Array(batch.values)) }
        }
        let waiters = state.withLock { state in
            switch result {
            case .success: state.stored = upTo
            // A newer change of the same download has come meanwhile, or this is still the newest.
            case .failure: state.pending.merge(batch) { newer, _ in newer }
            }
            let done = state.waiters.filter { $0.upTo <= upTo }
            state.waiters.removeAll { $0.upTo <= upTo }
            return done
        }
        for waiter in waiters { waiter.continuation.resume(with: result.mapError { $0 as any Error }) }
    }
}
