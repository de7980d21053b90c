public import SegmentedDL
public import SystemPackage

/// The settings of a `DownloadManager`.
///
/// A closure that is isolated to an actor, as with `@MainActor`, runs there; all others run in the task of
/// their download. Each gets the manager, too. A download waits for its closures: in one of them
/// ``DownloadManager/result(of:)`` and ``DownloadManager/waitUntilIdle()`` throw `waitsForItself`,
/// ``DownloadManager/shutdown()`` returns at once, and all other calls work as anywhere; a call that stops
/// the closure's own download throws `CancellationError`.
public struct ManagerConfiguration: Sendable {
    /// The fate of downloads that ran when the process ended.
    public enum RestorePolicy: String, Sendable, Hashable, CaseIterable {
        /// They are resumed by the manager.
        case resume
        /// They become paused, and so do downloads that had begun and were put back into the queue.
        case stayPaused
    }

    /// The path of the SQLite database with the receipts. It is created if it is missing; its directory must
    /// exist. With `:memory:`, as in SQLite, the queue is in memory and ends with its manager; ``inMemory``
    /// makes such a configuration.
    public var store: FilePath

    /// Directories that may have other paths at the next start, by names of the program's own, as
    /// "documents".
    ///
    /// Paths of downloads in such a directory, or in that of the ``store``, are found again when it has
    /// moved: an app's container with its next version, a volume, a user's directory. The bytes there
    /// continue to count. ``DownloadManager/relocate(from:to:)`` is for all other moves.
    public var roots: [String: FilePath] = [:]

    /// The settings of downloads: connections, caps, transport, durability. The caps can be changed later.
    /// By default no outage of a host is sat out, because ``retry`` tries again later, and others run
    /// meanwhile.
    public var downloads = ManagerConfiguration.defaultDownloads

    /// The retries after a failure that may pass, once a download itself has given up: it lets others run,
    /// and is tried again. Any byte of progress restores the number of retries, and a host that names a time
    /// for the next request uses up none. With 0 the first failure is the last.
    public var retry = ManagerConfiguration.defaultRetry

    /// The fate of downloads that ran when the process ended.
    public var onRestore = RestorePolicy.resume

    /// The number of receipts of downloads that do not run that may be in memory; the others are read from
    /// the database when they are asked for. Each takes somewhat less than a kilobyte. A view that shows all
    /// of them again and again is a reason for more.
    public var receiptsInMemory = 256

    /// True if downloads run; otherwise the manager only changes the database.
    public var runsDownloads = true

    /// Lets a download begin, or wait: called at each turn of a download, before anything else. A download
    /// that waits gives its turn to the next one, and uses up no retries and no attempts; its receipt says
    /// so (``Receipt/hold``). An error that it throws fails the download with code `closureFailed`, unless it
    /// is a `DownloadError`.
    public var mayStart: (@Sendable (Receipt, DownloadManager) async throws -> Gate)?

    /// The bytes that are to stay free on the file systems of the downloads, 0 or more; `nil` for no rule.
    ///
    /// With a rule a download whose length is known waits for its turn until there is room for it
    /// (``Receipt/hold``), and so does one that finds the disk full; it is looked at again each half minute,
    /// and when files are removed. Without one a full disk is a failure, which is tried again.
    public var reservedSpace: Int64?

    /// Supplies headers and credentials, which are never stored. It is called before each attempt; its result
    /// takes the place of the request's own. An error that it throws fails the download with code
    /// `closureFailed`, unless it is a `DownloadError`.
    public var authorize: (@Sendable (Receipt, DownloadManager) async throws -> Authorization?)?

    /// Chooses a file's path once the server has answered; `nil` leaves it to the request. A relative path
    /// begins at the working directory. The path is stored: it is asked for once for each download. An error
    /// that it throws fails the download with code `closureFailed`, unless it is a `DownloadError`.
    public var chooseDestination:
        (@Sendable (Receipt, ResponseInfo, DownloadManager) async throws -> FilePath?)?

    /// Chooses the policy where a download would fail because another file has its name: when a download with
    /// a `.file` destination is added, and when the server has answered. It is not asked for requests whose
    /// `ifExists` is another one than `fail`, and its result takes that one's place; with `fail` the download
    /// fails. An error that it throws fails the download or the addition with code `closureFailed`, unless it
    /// is a `DownloadError`.
    public var resolveExisting:
        (@Sendable (ExistingFile, DownloadManager) async throws -> ExistingFilePolicy)?

    /// Runs the action that follows a complete file: called with the text of ``QueueEntry/onComplete`` for
    /// downloads that have one. The download is completed when this returns, and failed if it throws. After a
    /// kill in between it is called again.
    public var onComplete: (@Sendable (_ action: String, Receipt, DownloadManager) async throws -> Void)?

    /// Called with each complete file, after ``onComplete``. The download is completed when this returns, and
    /// failed if it throws. After a kill in between it is called again.
    public var afterCompletion: (@Sendable (Receipt, DownloadManager) async throws -> Void)?

    /// Called with each event, in order and one after the other, from the opening of the queue on: also with
    /// those of downloads that an earlier process left. No download waits for it, and events that it has not
    /// got yet are kept.
    public var onEvent: (@Sendable (QueueEvent, DownloadManager) async -> Void)?

    /// Supplies settings that the queue does not keep. It is called before each attempt.
    package var supplement: (@Sendable (Receipt, DownloadManager) async throws -> DownloadSupplement)?

    /// Called once, as soon as no other process can open the queue.
    package var opened: (@Sendable () async -> Void)?

    /// Called with the caps after each change of them.
    package var limitsChanged: (@Sendable (Limits) async -> Void)?

    /// Creates a configuration with the default settings and a database at a path.
    public init(store: FilePath) {
        self.store = store
    }

    /// A configuration with the default settings and a queue in memory, for tests, previews, and programs
    /// that want a queue for one run only. The downloads' files are on the disk all the same, and a later
    /// request for one of them resumes there.
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
        try SegmentedDL.require(
            reservedSpace ?? 0 >= 0,
            "The reserved space is \(reservedSpace ?? 0) bytes; it must be 0 or more.")
    }
}
