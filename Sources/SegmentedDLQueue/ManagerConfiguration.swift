public import SegmentedDL
public import SystemPackage

/// The settings of a `DownloadManager`.
///
/// A closure that is isolated to an actor, as with `@MainActor`, runs there; all others run in the task of
/// their download. Each also receives the manager. A download waits for its closures: in one of them
/// ``DownloadManager/result(of:)`` and ``DownloadManager/waitUntilIdle()`` throw `waitsForItself`,
/// ``DownloadManager/shutdown()`` returns at once, and all other calls work as usual; a call that stops the
/// closure's own download throws `CancellationError`.
public struct ManagerConfiguration: Sendable {
    /// The handling of downloads that ran when the process ended.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum RestorePolicy: String, Sendable, Hashable, CaseIterable {
        /// The manager resumes them.
        case resume
        /// They are paused, as are downloads that had begun and returned to the queue.
        case stayPaused
    }

    /// The path of the SQLite database with the receipts. It and its directory are created if they are
    /// missing. With `:memory:`, as in SQLite, the queue is in memory and ends with its manager; ``inMemory``
    /// creates such a configuration.
    public var store: FilePath

    /// Directories whose paths may differ at the next start, by names that the program chooses, such as
    /// "documents".
    ///
    /// Paths of downloads in such a directory, or in that of the ``store``, are adjusted when it has moved:
    /// an app's container with its next version, a volume, a user's directory. The bytes there remain valid.
    /// ``DownloadManager/relocate(from:to:)`` is for all other moves.
    public var roots: [String: FilePath] = [:]

    /// The settings of downloads: connections, caps, transport, durability. The caps can be changed later. By
    /// default a download does not wait for an unreachable host: ``retry`` tries later, and others run in the
    /// meantime.
    public var downloads = ManagerConfiguration.defaultDownloads

    /// The retries after a temporary failure, once a download itself has given up: it lets others run, and is
    /// retried later. Any byte of progress resets the number of retries, and a host that states a time for
    /// the next request uses up none. With 0 the first failure is final.
    public var retry = ManagerConfiguration.defaultRetry

    /// The handling of downloads that ran when the process ended.
    public var onRestore = RestorePolicy.resume

    /// The maximum number of receipts of inactive downloads in memory; the others are read from the database
    /// on demand. Each occupies somewhat less than a kilobyte. Raise it for a view that shows all of them
    /// repeatedly.
    public var receiptsInMemory = 256

    /// True if downloads run; otherwise the manager only changes the database.
    public var runsDownloads = true

    /// Lets a download begin, or wait: called whenever a download could begin, before anything else. A
    /// waiting download lets the next one begin, and uses up no retries and no attempts; its receipt shows
    /// the reason (``Receipt/hold``). An error that it throws fails the download with code `closureFailed`,
    /// unless it is a `DownloadError`.
    public var mayStart: (@Sendable (Receipt, DownloadManager) async throws -> Gate)?

    /// The bytes to keep free on the file systems of the downloads, 0 or more; `nil` for no rule.
    ///
    /// With a rule, a download of known length waits until it fits (``Receipt/hold``), as does one that finds
    /// the disk full; it is checked again every 30 seconds, and when files are removed. Without one, a full
    /// disk is a failure, which is retried.
    public var reservedSpace: Int64?

    /// Supplies headers and credentials, which are never stored. Called before each attempt; its result
    /// replaces the request's own. An error that it throws fails the download with code `closureFailed`,
    /// unless it is a `DownloadError`.
    public var authorize: (@Sendable (Receipt, DownloadManager) async throws -> Authorization?)?

    /// Chooses a file's path once the server has answered; `nil` leaves it to the request. A relative path
    /// begins at the working directory. The path is stored: it is called once for each download. An error
    /// that it throws fails the download with code `closureFailed`, unless it is a `DownloadError`.
    public var chooseDestination:
        (@Sendable (Receipt, ResponseInfo, DownloadManager) async throws -> FilePath?)?

    /// Chooses the policy where a download would fail because another file has its name: when a download with
    /// a `.file` destination is added, and when the server has answered. It is not called for requests whose
    /// `ifExists` is other than `fail`, and its result replaces that policy; with `fail` the download fails.
    /// An error that it throws fails the download or the addition with code `closureFailed`, unless it is a
    /// `DownloadError`.
    public var resolveExisting:
        (@Sendable (ExistingFile, DownloadManager) async throws -> ExistingFilePolicy)?

    /// Runs the action that follows a complete file: called with the text of ``QueueEntry/onComplete`` for
    /// downloads that have one. The download completes when this returns, and fails if it throws. After an
    /// intervening kill it is called again.
    public var onComplete: (@Sendable (_ action: String, Receipt, DownloadManager) async throws -> Void)?

    /// Called with each complete file, after ``onComplete``. The download completes when this returns, and
    /// fails if it throws. After an intervening kill it is called again.
    public var afterCompletion: (@Sendable (Receipt, DownloadManager) async throws -> Void)?

    /// Called with each event, in order and one at a time, from the opening of the queue on, including those
    /// of downloads that an earlier process left. No download waits for it; pending events are kept.
    public var onEvent: (@Sendable (QueueEvent, DownloadManager) async -> Void)?

    /// Resolves the location of a file in a hub or store. Called before each attempt.
    package var resolve: (@Sendable (FileLocation) async throws -> ResolvedSource)?

    /// Supplies settings that the queue does not store. Called before each attempt.
    package var supplement: (@Sendable (Receipt, DownloadManager) async throws -> DownloadSupplement)?

    /// Called once, as soon as no other process can open the queue.
    package var opened: (@Sendable () async -> Void)?

    /// Called with the caps after each change.
    package var limitsChanged: (@Sendable (Limits) async -> Void)?

    /// Creates a configuration with the default settings and a database at a path.
    public init(store: FilePath) {
        self.store = store
    }

    /// A configuration with the default settings and a queue in memory, for tests, previews, and programs
    /// that need a queue for one run only. The downloaded files are still on disk, and a later request for
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
        try SegmentedDL.require(
            reservedSpace ?? 0 >= 0,
            "The reserved space is \(reservedSpace ?? 0) bytes; it must be 0 or more.")
    }
}

/// Settings of a download that its queue does not keep.
package struct DownloadSupplement: Sendable, Hashable {
    /// Digests of the file's pieces.
    package var pieces: PieceHashes?
    /// The length that the file must have, in bytes.
    package var length: Int64?
    /// The total number of tries: when they are used up, the download has failed, and the queue does not
    /// retry. `nil` for those of the request or the configuration, and the queue's own.
    package var tries: FileTries?
    /// True if the bytes of an earlier run are discarded.
    package var startsOver = false

    package init() {}
}
