import SegmentedDL
import SegmentedDLSupport

/// Stores the changes of a mirror's files, in order and in batches, on a separate thread.
final class MirrorWriter: CompletionJournal {
    enum Change: Equatable, Sendable {
        /// Record a file that is about to be renamed to its final name.
        indirect case record(id: Int64, CopyRecord)
        /// Mark files as present in this run, and no longer waiting.
        case done(ids: [Int64], run: Int64)
        /// Drop the record of a local file that does not belong to this mirror; the file is kept.
        case unknown(id: Int64)
        /// Drop the record of a local file that was removed.
        case forget(id: Int64)
        /// Turn a file into a directory that still has to be listed.
        case directory(id: Int64, ListingWalk.Directory)

        /// The number of changed files.
        fileprivate var files: Int {
            if case .done(let ids, _) = self { ids.count } else { 1 }
        }

        fileprivate var changesFile: Bool {
            switch self {
            case .done, .directory: false
            case .record, .unknown, .forget: true
            }
        }
    }

    /// The number of changed files that are stored together if no task waits for them. After a kill, the next
    /// run checks these files again.
    private static let batch = 512

    private let changes: BatchQueue<Change>
    private let changedFiles = OnceFlag()

    /// - Parameter failed: Called if changes could not be stored.
    init(_ store: MirrorStore, failed: @escaping @Sendable (any Error) -> Void) {
        // A failed batch is retried at the end.
        changes = BatchQueue(label: "SegmentedDL.mirror", threshold: Self.batch, weigh: \.files) { changes in
            do {
                try store.apply(changes)
            } catch {
                failed(error)
                throw error
            }
        }
    }

    /// True if a submitted change did more than mark files as present.
    var hasChangedFiles: Bool { changedFiles.isRaised }

    /// Stores a change together with later ones, at the latest when `flush` is called.
    func submit(_ change: Change) {
        note(change)
        changes.add(change)
    }

    /// Returns when everything submitted so far is stored.
    ///
    /// - Throws: The errors of `MirrorStore.apply`.
    func flush() async throws { try await changes.flush() }

    /// Returns when a change is stored.
    ///
    /// - Throws: The errors of `flush`.
    func store(_ change: Change) async throws {
        note(change)
        try await changes.addAndWait(change)
    }

    func commit() throws { try changes.flushBlocking() }

    private func note(_ change: Change) {
        if change.changesFile { changedFiles.raise() }
    }
}
