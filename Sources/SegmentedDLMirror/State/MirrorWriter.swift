import SegmentedDL
import SegmentedDLSupport

/// Writes the changes of a mirror's files, in order and in batches, on a thread of its own.
final class MirrorWriter: CompletionJournal {
    enum Change: Equatable, Sendable {
        /// The state of a file that is about to get its name.
        indirect case record(id: Int64, CopyRecord)
        /// The files are there in this run, and no longer wait.
        case done(ids: [Int64], run: Int64)
        /// The local file is not of this mirror: the record is dropped, the file stays.
        case unknown(id: Int64)
        /// The local file was removed.
        case forget(id: Int64)
        /// The file is a directory, which is still to be listed.
        case directory(id: Int64, ListingWalk.Directory)

        /// The number of files that change.
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

    /// Changes of this many files are stored together where no task waits for them. A kill makes the next run
    /// ask for the files again.
    private static let batch = 512

    private let changes: BatchQueue<Change>
    private let changedFiles = OnceFlag()

    /// - Parameter failed: Called when changes could not be stored.
    init(_ store: MirrorStore, failed: @escaping @Sendable (any Error) -> Void) {
        // A batch that failed is tried again at the end.
        changes = BatchQueue(label: "SegmentedDL.mirror", threshold: Self.batch, weigh: \.files) { changes in
            do {
                try store.apply(changes)
            } catch {
                failed(error)
                throw error
            }
        }
    }

    /// True if a change was submitted that says more of a file than that it is there.
    var hasChangedFiles: Bool { changedFiles.isRaised }

    /// Stores a change together with later ones, at the latest when `flush` is called.
    func submit(_ change: Change) {
        note(change)
        changes.add(change)
    }

    /// Returns when everything submitted so far is stored.
    ///
    /// - Throws: `DownloadError`, as of `MirrorStore.apply`.
    func flush() async throws { try await changes.flush() }

    /// Returns when a change is stored.
    ///
    /// - Throws: As `flush`.
    func store(_ change: Change) async throws {
        note(change)
        try await changes.addAndWait(change)
    }

    func commit() throws { try changes.flushBlocking() }

    private func note(_ change: Change) {
        if change.changesFile { changedFiles.raise() }
    }
}
