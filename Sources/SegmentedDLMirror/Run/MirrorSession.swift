internal import SegmentedDL
import SegmentedDLSupport
internal import SystemPackage

/// One run of a mirror: its job, its database, and the state shared by its files.
final class MirrorSession: Sendable {
    /// The maximum number of queued files in the database of a run without a state, to keep it small.
    static let ahead = 64

    let job: MirrorJob
    let downloader: Downloader
    let reporter: MirrorReporter
    let store: MirrorStore
    /// The identifiers of the run in the database.
    let run: MirrorStore.Run
    /// The last turn in the database before this start of the run. The turns of this listing follow it.
    ///
    /// It is read once, at the start, because the maximum in the database decreases as files complete.
    let lastTurn: Int64
    /// True if the source is a tree of listings, whose files may be directories that are not marked as such.
    let mayHideDirectories: Bool
    /// The time of the earlier start whose listing this run continues, in seconds since 1970; `nil` if there
    /// is none.
    let earlierStart: Int64?
    let writer: MirrorWriter
    let listing = ListingProgress()
    let hosts = RevalidatedHosts()
    let names: MirrorNames
    /// The source of the entries; `nil` for a caller's own entries.
    let source: MirrorSource?
    /// The fast path for small files; `nil` if the settings of the downloader or the job do not allow it.
    let fastPath: FastPath?
    private let error: Lock<(any Error)?>
    private let foreign = Lock(0)

    init(
        _ job: MirrorJob, with downloader: Downloader, _ reporter: MirrorReporter, store: MirrorStore,
        run: MirrorStore.Run, lastTurn: Int64, source: MirrorSource? = nil, earlierStart: Int64? = nil
    ) {
        self.job = job
        self.downloader = downloader
        self.reporter = reporter
        names = MirrorNames(root: job.root)
        // A run that may stop at a failure must not have requested many files after it.
        fastPath = job.failurePolicy == .keepGoing ? downloader.makeFastPath() : nil
        self.store = store
        self.run = run
        self.lastTurn = lastTurn
        self.source = source
        mayHideDirectories = source?.isIndex ?? false
        self.earlierStart = earlierStart
        let error = Lock<(any Error)?>(nil)
        self.error = error
        writer = MirrorWriter(store) { failure in error.withLock { $0 = $0 ?? failure } }
    }

    /// True if the run's records persist. Otherwise existing files are recognized only by their digests.
    var isRemembered: Bool { job.state != nil }

    /// The final path of a file.
    func path(of item: MirrorItem) -> FilePath { job.root.appending(item.path.text) }

    /// The paths of a file before and after it is renamed to its final name.
    func place(of item: MirrorItem) -> DownloadPaths { downloader.place(for: path(of: item)) }

    /// Returns the path of a file that the run listed before this one and whose name is the same to the file
    /// system, because only the case differs. Blocks.
    func firstSpelling(of file: WaitingFile) -> FilePath? {
        guard names.mergesLetters() else { return nil }
        let path = file.item.path.text
        guard let first = try? store.firstSpelling(of: path, file.id, in: run), names.merges(first, path)
        else { return nil }
        return job.root.appending(first)
    }

    /// The number of existing files that were not fetched from this source.
    var foreignFiles: Int { foreign.withLock { $0 } }

    /// Counts an existing file that was not fetched from this source. The first one is reported.
    func foundForeign(_ path: RelativePath) {
        let isFirst = foreign.withLock { count in
            count += 1
            return count == 1
        }
        guard isFirst, !job.isDryRun else { return }
        downloader.note(
            "'\(path)' exists locally, but was not fetched from this source: such files are fetched again; --adopt keeps those that have the source's size and date"
        )
    }

    /// The first error of the database, with which the run ends.
    var failure: (any Error)? { error.withLock { $0 } }

    /// True if no more files may begin.
    var isOver: Bool { reporter.isOver || failure != nil }

    /// Ends the run because the database cannot be read.
    func fail(_ error: any Error) {
        self.error.withLock { $0 = $0 ?? error }
    }
}

/// The hosts that a run asks about its copies, and whether each of them supports questions in batches.
final class RevalidatedHosts: Sendable {
    /// The maximum number of consecutive useless batches, after which a host is asked about each copy
    /// separately.
    private static let mostUselessBatches = 3

    private let useless = Lock<[Origin: Int]>([:])

    /// Returns true if a host is asked about each copy separately, because several consecutive batches had no
    /// effect, which is not a coincidence.
    func isAskedSingly(_ host: Origin) -> Bool {
        useless.withLock { $0[host, default: 0] >= Self.mostUselessBatches }
    }

    /// Returns true if the last batch of questions to a host had an effect.
    func isProven(_ host: Origin) -> Bool { useless.withLock { $0[host] == 0 } }

    /// Records a batch of questions. Once a host is asked separately, this does not change.
    ///
    /// - Parameter wasUseless: True if the batch had no effect: the host refused, or closed connections
    ///   early.
    func record(wasUseless: Bool, for host: Origin) {
        useless.withLock { useless in
            let count = useless[host, default: 0]
            guard count < Self.mostUselessBatches else { return }
            useless[host] = wasUseless ? count + 1 : 0
        }
    }
}
