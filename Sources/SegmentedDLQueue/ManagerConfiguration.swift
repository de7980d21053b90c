public import SegmentedDL
public import SystemPackage

/// The settings of a `DownloadManager`.
public struct ManagerConfiguration: Sendable {
    /// The treatment of downloads that ran when the process ended.
    public enum RestorePolicy: String, Sendable, Hashable, CaseIterable {
        /// They continue by themselves.
        case goOn
        /// They become paused, and so do downloads that had begun and were put back into the queue.
        case stayPaused
    }

    /// The path of the SQLite database with the receipts. It is created if it is missing; its directory must
    /// exist.
    public var store: FilePath

    /// The settings of the downloads: connections, caps, transport, durability. The caps can be changed
    /// later.
    public var downloads = Configuration()

    /// The retries of the queue after a download has used up its own (``Configuration/retry``) on a temporary
    /// failure. The download lets others run in between. Any byte of progress restores the number of retries.
    public var retry = ManagerConfiguration.defaultRetry

    /// The treatment of downloads that ran when the process ended.
    public var onRestore = RestorePolicy.goOn

    /// The most receipts of downloads at rest that stay in memory, somewhat less than a kilobyte each. The
    /// others are read from the database on demand. Raise the number for a view that often shows all of them.
    public var receiptsInMemory = 256

    /// True if downloads run. With false, the manager only stores changes.
    public var runsDownloads = true

    /// Returns headers and credentials, which are never stored. The manager calls it before each attempt; the
    /// result replaces those of the request. It runs in the closure's isolation.
    public var authorize: (@Sendable (Receipt) async throws -> Authorization?)?

    /// Chooses a file's path after the server has answered; `nil` keeps the request's destination. The path
    /// is stored, so the closure is called once for each download. It runs in the closure's isolation.
    public var chooseDestination: (@Sendable (Receipt, ResponseInfo) async throws -> FilePath?)?

    /// The completion action. The manager calls it after a file is complete, with the text of
    /// ``QueueEntry/onComplete`` if the download has one. The download is completed when the closure returns,
    /// and failed if it throws. After a kill in between it is called again. It runs in the closure's
    /// isolation.
    public var onComplete: (@Sendable (_ action: String, Receipt) async throws -> Void)?

    /// Creates a configuration with the default settings and a database at a path.
    public init(store: FilePath) {
        self.store = store
    }

    /// Five retries, 10 seconds to 10 minutes apart.
    public static let defaultRetry: RetryPolicy = {
        var policy = RetryPolicy()
        policy.retries = 5
        policy.delay = 10
        policy.longestDelay = 600
        return policy
    }()

    /// - Checks all settings.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` that names the setting and its range.
    func validate() throws(DownloadError) {
        try downloads.validate()
        try retry.validate()
    }
}
