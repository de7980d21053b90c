internal import Dispatch
internal import SegmentedDL
import SegmentedDLSupport

/// Writes what becomes of a mirror's files, in order and in batches, on a thread of its own.
final class MirrorWriter: CompletionJournal {
    enum Change: Equatable, Sendable {
        /// What is known of a file that is about to get its name.
        indirect case record(id: Int64, CopyRecord)
        /// The files are there in this run, and wait no more.
        case done(ids: [Int64], run: Int64)
        /// What is there in its place is left to whom it belongs.
        case unknown(id: Int64)
        /// The file is there no more.
        case forget(id: Int64)
    }

    /// Changes of so many files are stored together where nobody waits for them. A kill makes the files be asked for again.
    private static let batch = 512

    private struct State {
        var pending: [Change] = []
        /// How many files those are of.
        var files = 0
        var submitted = 0
        var hasChangedFiles = false
        var isScheduled = false
        var waiters: [(upTo: Int, continuation: CheckedContinuation<Void, any Error>)] = []

        mutating func submit(_ change: Change) {
            pending.append(change)
            submitted += 1
            switch change {
            case .done(let ids, _):
                files += ids.count
            case .record, .unknown, .forget:
                files += 1
                hasChangedFiles = true
            }
        }
    }

    private let store: MirrorStore
    private let failed: @Sendable (any Error) -> Void
    private let queue = DispatchQueue(label: "SegmentedDL.mirror")
    private let state = Lock(State())

    /// - Parameter failed: Told when something could not be stored.
    init(_ store: MirrorStore, failed: @escaping @Sendable (any Error) -> Void) {
        self.store = store
        self.failed = failed
    }

    /// Whether anything is known of any file that was not known before.
    var hasChangedFiles: Bool { state.withLock { $0.hasChangedFiles } }

    /// Stores a change together with later ones, at the latest when `flush` is called.
    func submit(_ change: Change) {
        schedule { $0.submit(change) }
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
        try await withCheckedThrowingContinuation { continuation in
            schedule { state in
                state.submit(change)
                state.waiters.append((state.submitted, continuation))
            }
        }
    }

    private func schedule(_ change: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            change(&state)
            guard !state.isScheduled, !state.waiters.isEmpty || state.files >= Self.batch else {
                return false
            }
            state.isScheduled = true
            return true
        }
        if isFirst { queue.async { _ = self.write() } }
    }

    func commit() throws {
        try queue.sync { write() }.get()
    }

    private func write() -> Result<Void, DownloadError> {
        let (batch, files, upTo) = state.withLock { state in
            state.isScheduled = false
            defer { (state.pending, state.files) = ([], 0) }
            return (state.pending, state.files, state.submitted)
        }
        let result = Result { () throws(DownloadError) in
            if !batch.isEmpty { try store.apply(batch) }
        }
        if case .failure(let error) = result { failed(error) }
        let waiters = state.withLock { state in
            // Tried again at the end.
            if case .failure = result {
                state.pending = batch + state.pending
                state.files += files
            }
            let done = state.waiters.filter { $0.upTo <= upTo }
            state.waiters.removeAll { $0.upTo <= upTo }
            return done
        }
        for waiter in waiters { waiter.continuation.resume(with: result.mapError { $0 as any Error }) }
        return result
    }
}
