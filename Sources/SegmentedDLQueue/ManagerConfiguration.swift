public import SegmentedDL
public import SystemPackage

/// The settings of a `DownloadManager`.
///
/// A closure that is isolated to an actor, for example with `@MainActor`, runs on that actor; all others run
/// in a task of their download. Each also receives the manager. A download waits for its closures: in one
/// of them ``DownloadManager/result(of:)``, ``DownloadManager/waitUntilIdle()`` and every other call that
/// would wait for the closure throw `waitsForItself`, ``DownloadManager/shutdown()`` returns immediately,
/// streams have at most one element, and all other calls work as usual; a call that stops the closure's own
/// download throws `CancellationError`. A stream that was created elsewhere does not end in a closure:
/// reading it there can wait for the closure itself. A closure that does not return delays the shutdown.
public struct ManagerConfiguration: Sendable {
    /// The treatment of downloads that were running when the process ended.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum RestorePolicy: String, Sendable, Hashable, CaseIterable {
        /// The manager resumes them.
        case resume
        /// They are paused, as are downloads that had begun and were returned to the queue.
        case stayPaused
    }

    /// The path of the SQLite database with the receipts. It and its directory are created if they are
    /// missing. With `:memory:`, as in SQLite, the queue is kept in memory and lost with its manager;
    /// ``inMemory`` creates such a configuration.
    public var store: FilePath

    /// Directories whose absolute paths may differ at the next start, by names chosen by the program, such as
    /// "documents".
    ///
    /// If such a directory, or that of the ``store``, has moved, for example because an app's container
    /// changes with an update, the paths of downloads in it are adjusted. The bytes there remain valid. For
    /// all other moves, use ``DownloadManager/relocate(from:to:)``.
    public var roots: [String: FilePath] = [:]

    /// The settings of downloads: connections, caps, transport, durability. The caps can be changed later. By
    /// default, a download does not wait for an unreachable host: ``retry`` retries it later, and others run
    /// in the meantime.
    public var downloads = ManagerConfiguration.defaultDownloads

    /// The retries after a temporary failure, once a download's own retries are exhausted: other downloads
    /// run, and it is retried later. Any progress resets the number of retries, and a delay requested by the
    /// host does not count as one. With 0, the first failure is final.
    public var retry = ManagerConfiguration.defaultRetry

    /// The treatment of downloads that were running when the process ended.
    public var onRestore = RestorePolicy.resume

    /// The maximum number of receipts of inactive downloads in memory; the others are read from the database
    /// on demand. 0 or more. Each takes slightly less than a kilobyte. Raise this for a view that repeatedly
    /// shows all of them.
    public var receiptsInMemory = 256

    /// True to run downloads; otherwise the manager only changes the database.
    public var runsDownloads = true

    /// True to wait for a process that only changes the database, even if this manager does the same.
    package var waitsForHolder = false

    /// Decides whether a download may begin or must wait. Called before anything else whenever a download
    /// could begin. If it must wait, the next one may begin, and no retries or attempts are used up; its
    /// receipt shows the reason (``Receipt/hold``). An error that it throws fails the download with code
    /// `closureFailed`, unless it is a `DownloadError`.
    public var mayStart: (@Sendable (Receipt, DownloadManager) async throws -> Gate)?

    /// The bytes to keep free on the file systems of the downloads, 0 or more; `nil` to disable the check.
    ///
    /// If set, a download of known length waits until there is enough space (``Receipt/hold``), as does one
    /// that failed because the disk was full; this is checked again every 30 seconds and when files are
    /// removed. If `nil`, a full disk is a failure, which is retried.
    public var reservedSpace: Int64?

    /// Supplies headers and credentials, which are never stored. Called before each attempt, and again for a
    /// small file that was requested together with others and must be requested again; its result replaces
    /// the request's own. An error that it throws fails the download with code `closureFailed`,
    /// unless it is a `DownloadError`.
    public var authorize: (@Sendable (Receipt, DownloadManager) async throws -> Authorization?)?

    /// Chooses a file's path once the server has responded; `nil` uses the path of the request. A relative
    /// path is resolved against the working directory. The path is stored, so this is called once for each
    /// download. An error that it throws fails the download with code `closureFailed`, unless it is a
    /// `DownloadError`.
    public var chooseDestination:
        (@Sendable (Receipt, ResponseInfo, DownloadManager) async throws -> FilePath?)?

    /// Chooses the policy when a download would fail because another file has its name: when a download with
    /// a `.file` destination is added, and when the server has answered. It is not called for requests whose
    /// `ifExists` is other than `fail`, and its result replaces that policy; with `fail` the download fails.
    /// An error that it throws fails the download or the addition with code `closureFailed`, unless it is a
    /// `DownloadError`.
    public var resolveExisting:
        (@Sendable (ExistingFile, DownloadManager) async throws -> ExistingFilePolicy)?

    /// Runs a download's completion action. Called with the text of ``QueueEntry/onComplete`` for downloads
    /// that have one. The download completes when this returns, and fails if it throws. If the process is
    /// killed in between, it is called again.
    public var onComplete: (@Sendable (_ action: String, Receipt, DownloadManager) async throws -> Void)?

    /// Called with each complete file, after ``onComplete``. The download completes when this returns, and
    /// fails if it throws. If the process is killed in between, it is called again.
    public var afterCompletion: (@Sendable (Receipt, DownloadManager) async throws -> Void)?

    /// Called with each event, in order and one at a time, from the moment the queue is opened, including
    /// those of downloads that an earlier process left. Downloads do not wait for it; pending events are
    /// buffered. ``DownloadManager/shutdown()`` waits, without a limit, until it has received all of them.
    public var onEvent: (@Sendable (QueueEvent, DownloadManager) async -> Void)?

    /// Resolves the location of a file in a hub or store. Called before each attempt.
    package var resolve: (@Sendable (FileLocation) async throws -> ResolvedSource)?

    /// Supplies the digests of a file's pieces, which are not stored. Called before each attempt.
    package var pieces: (@Sendable (Receipt, DownloadManager) async throws -> PieceHashes?)?

    /// Called once, as soon as no other process can open the queue.
    package var opened: (@Sendable () async -> Void)?

    /// Called with the caps after each change.
    package var limitsChanged: (@Sendable (Limits) async -> Void)?

    /// Creates a configuration with the default settings and a database at a path.
    public init(store: FilePath) {
        self.store = store
    }

    /// A configuration with the default settings and an in-memory queue, for tests, previews, and programs
    /// that need a queue for one run only. Downloaded files are still stored on disk, and a later request for
    /// one of them resumes.
    public static var inMemory: ManagerConfiguration { ManagerConfiguration(store: ":memory:") }

    var isInMemory: Bool { store == ":memory:" }

    /// Five retries, 10 seconds to 10 minutes apart.
    public static let defaultRetry: RetryPolicy = {
        var policy = RetryPolicy()
        policy.retries = 5
        policy.delay = .seconds(10)
        policy.longestDelay = .seconds(600)
        return policy
    }()

    private static let defaultDownloads: Configuration = {
        var configuration = Configuration()
        configuration.retry.longestOutage = .zero
        return configuration
    }()

    /// Checks all settings.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` that names the setting and its range.
    func validate() throws(DownloadError) {
        try downloads.validate()
        try retry.validate()
        try store.checkIsNotEmpty("does not name a database")
        for (name, root) in roots {
            try root.checkIsNotEmpty()
            // Another working directory at the next start would count as a move.
            try SegmentedDL.require(
                root.isAbsolute, "The directory '\(root)' ('\(name)' in roots) must be an absolute path.")
        }
        try SegmentedDL.require(
            receiptsInMemory >= 0,
            "The number of receipts in memory is \(receiptsInMemory); it must be 0 or more.")
        try SegmentedDL.require(
            reservedSpace ?? 0 >= 0,
            "The reserved space is \(reservedSpace ?? 0) bytes; it must be 0 or more.")
    }
}
