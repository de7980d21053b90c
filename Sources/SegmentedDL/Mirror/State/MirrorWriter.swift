internal import Dispatch
import Locks

/// Writes what becomes of a mirror's files, in order and in batches, on a thread of its own.
final class MirrorWriter: Sendable {
    enum Change: Equatable, Sendable {
        /// What is known of a file that is about to get its name.
        indirect case record(id: Int64, CopyRecord)
        /// The file is there in this run, and waits no more.
        case done(id: Int64, run: Int64)
        /// The file is there no more.
        case forget(id: Int64)
    }

    private struct State {
        var pending: [Change] = []
        var submitted = 0
        var isScheduled = false
        var waiters: [(upTo: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let store: MirrorStore
    private let queue = DispatchQueue(label: "SegmentedDL.mirror")
    private let state = Mutex(State())

    init(_ store: MirrorStore) {
        self.store = store
    }

    /// Stores a change some time soon.
    func submit(_ change: Change) {
        schedule { state in
            state.pending.append(change)
            state.submitted += 1
        }
    }

    /// Returns when everything submitted so far is stored.
    ///
    /// - Throws: `DownloadError`, as of `MirrorStore.apply`.
    func flush() async throws {
        try await withCheckedThrowingContinuation { continuation in
            schedule { $0.waiters.append(($0.submitted, continuation)) }
        }
    }

    /// Returns when a change is stored.
    ///
    /// - Throws: As `flush`.
    func store(_ change: Change) async throws {
        submit(change)
        try await flush()
    }

    private func schedule(_ change: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            change(&state)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { queue.async { self.write() } }
    }

    private func write() {
        let (batch, upTo) = state.withLock { state in
            state.isScheduled = false
            defer { state.pending = [] }
            return (state.pending, state.submitted)
        }
        let result = Result { () throws(DownloadError) in
            if !batch.isEmpty { try store.apply(batch) }
        }
        let waiters = state.withLock { state in
            // Tried again with the next change.
            if case .failure = result { state.pending = batch + state.pending }
            let done = state.waiters.filter { $0.upTo <= upTo }
            state.waiters.removeAll { $0.upTo <= upTo }
            return done
        }
        for waiter in waiters { waiter.continuation.resume(with: result.mapError { $0 as any Error }) }
    }
}
