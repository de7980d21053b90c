internal import SegmentedDL
import SegmentedDLSupport
internal import SystemPackage

/// One run of a mirror: its job, its database, and what its files share.
final class MirrorSession: Sendable {
    /// The number of files that may wait in the database of a run without a state, which is to stay small.
    static let ahead = 64

    let job: MirrorJob
    let downloader: Downloader
    let reporter: MirrorReporter
    let store: MirrorStore
    /// The run's numbers in the database.
    let run: MirrorStore.Run
    /// The last turn in the database before this start of the run. Turns of this listing start after it.
    ///
    /// It is read once, at the start: the maximum in the database drops as files complete.
    let lastTurn: Int64
    /// True if the source is a tree of listings, whose files may be directories that are not marked.
    let mayHideDirectories: Bool
    /// When the earlier start of the run was whose listing this one goes on with, in seconds since 1970;
    /// `nil` if there is none.
    let earlierStart: Int64?
    let writer: MirrorWriter
    let listing = ListingProgress()
    let hosts = RevalidatedHosts()
    let names: MirrorNames
    private let error: Lock<(any Error)?>
    private let foreign = Lock(0)

    init(
        _ job: MirrorJob, with downloader: Downloader, _ reporter: MirrorReporter, store: MirrorStore,
        run: MirrorStore.Run, lastTurn: Int64, mayHideDirectories: Bool = false,
        earlierStart: Int64? = nil
    ) {
        self.job = job
        self.downloader = downloader
        self.reporter = reporter
        names = MirrorNames(root: job.root)
        self.store = store
        self.run = run
        self.lastTurn = lastTurn
        self.mayHideDirectories = mayHideDirectories
        self.earlierStart = earlierStart
        let error = Lock<(any Error)?>(nil)
        self.error = error
        writer = MirrorWriter(store) { failure in error.withLock { $0 = $0 ?? failure } }
    }

    /// True if the run's records outlive it. Without that, files that are there are known by their digests
    /// only.
    var isRemembered: Bool { job.state != nil }

    /// The final name of a file.
    func path(of item: MirrorItem) -> FilePath { job.root.appending(item.path.text) }

    /// The places of a file's bytes before and after it has its final name.
    func place(of item: MirrorItem) -> DownloadPaths { downloader.place(for: path(of: item)) }

    /// Returns the path of the file that the run has listed before this one, and that is the same to the file
    /// system: only letters differ. Blocks.
    func firstSpelling(of file: WaitingFile) -> FilePath? {
        guard names.mergesLetters() else { return nil }
        let first = try? store.firstSpelling(of: file.item.path.text, file.id, in: run)
        return first.map { job.root.appending($0) }
    }

    /// The number of files that were here, and not fetched from this source.
    var foreignFiles: Int { foreign.withLock { $0 } }

    /// Counts a file that is here, and not fetched from this source. The first one is told of.
    func foundForeign(_ path: RelativePath) {
        let isFirst = foreign.withLock { count in
            count += 1
            return count == 1
        }
        guard isFirst, !job.isDryRun else { return }
        downloader.note(
            "'\(path)' is here, and was not fetched from this source: such files are fetched again; --adopt keeps those that have the source's size and date"
        )
    }

    /// The first error of the database; the run ends with it.
    var failure: (any Error)? { error.withLock { $0 } }

    /// True if no more files are to be begun.
    var isOver: Bool { reporter.isOver || failure != nil }

    /// Ends the run because the database cannot be read.
    func fail(_ error: any Error) {
        self.error.withLock { $0 = $0 ?? error }
    }
}
