internal import Logging
import SegmentedDLSupport
internal import SystemPackage

/// Downloads files in parallel segments, under one set of caps.
///
///     let downloader = try Downloader()
///     let result = try await downloader.download(
///         DownloadRequest("https://example.com/disk.iso", to: .directory(".")))
///     await downloader.shutdown()
public final class Downloader: Sendable {
    let configuration: Lock<Configuration>
    let engine: any TransferEngine
    let curl: CurlEngine?
    let scheduler: GlobalScheduler
    let rate: RateLimiter
    let answered = AnsweredHosts()
    private let commits: CommitQueue
    private let proofs = ProofCache()
    /// `nil` if no cookie file is set.
    private let expired: ExpiredCookies?
    private let rounds = HoldUpRounds()
    private let paused = PausedDownloads()
    /// True for the process-wide downloader, which several parts of the program share.
    private let isShared: Bool

    /// Starts the network engine.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if a setting is out of its range.
    public convenience init(_ configuration: Configuration = Configuration()) throws(DownloadError) {
        try self.init(configuration, isShared: false)
    }

    private convenience init(_ configuration: Configuration, isShared: Bool) throws(DownloadError) {
        try configuration.validate()
        let curl = try CurlEngine(
            transport: configuration.transport, maxConnections: configuration.limits.connections,
            perHost: configuration.limits.connectionsPerHost)
        self.init(configuration: configuration, engine: curl, curl: curl, isShared: isShared)
    }

    /// Starts the network engine.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if a setting is out of its range.
    @available(*, deprecated, renamed: "init(_:)")
    public convenience init(configuration: Configuration) throws(DownloadError) {
        try self.init(configuration)
    }

    /// Creates a downloader with an engine other than the default.
    ///
    /// - Parameter pauseFactor: The factor of the pauses after refusals that hosts have not requested.
    package convenience init(
        configuration: Configuration, engine: any TransferEngine, pauseFactor: Double = 1
    ) {
        self.init(
            configuration: configuration, engine: engine, curl: nil, isShared: false,
            pauseFactor: pauseFactor)
    }

    private init(
        configuration: Configuration, engine: any TransferEngine, curl: CurlEngine?, isShared: Bool,
        pauseFactor: Double = 1
    ) {
        self.isShared = isShared
        commits = isShared ? CommitQueue(most: Self.sharedCommits) : CommitQueue()
        self.configuration = Lock(configuration)
        self.engine = engine
        self.curl = curl
        expired = configuration.transport.cookieFile.map { ExpiredCookies(in: $0) }
        scheduler = GlobalScheduler(limits: configuration.limits, pauseFactor: pauseFactor)
        rate = RateLimiter(rate: configuration.limits.rate)
    }

    /// The current caps. Changing them affects active downloads.
    public var limits: Limits { configuration.withLock { $0.limits } }

    /// The number of files that may be active now.
    package var allowedFiles: Int { scheduler.allowedFiles }

    /// The number of files that may start in place of stalled ones.
    package var replaceableFiles: Int { scheduler.replaceableFiles }

    /// Adds a notice to the log.
    package func note(_ text: String) {
        configuration.withLock { $0.logger }.notice("\(text)")
    }

    package var durability: Durability { configuration.withLock { $0.durability } }

    /// Returns the temporary paths of an incomplete file.
    package func place(for path: FilePath) -> DownloadPaths {
        DownloadPaths(path, in: configuration.withLock { $0.incompleteDirectory })
    }

    /// Changes the caps, including for active downloads. A lower cap takes effect as segments end; a rate
    /// limit at once.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`; the caps are then unchanged.
    public func setLimits(_ limits: Limits) throws(DownloadError) {
        try limits.validate()
        configuration.withLock { $0.limits = limits }
        scheduler.set(limits)
        curl?.set(maxConnections: limits.connections, perHost: limits.connectionsPerHost)
        rate.setRate(limits.rate)
    }

    /// Runs `body` with a downloader, and always shuts it down afterwards.
    ///
    ///     let results = try await Downloader.withDownloader { downloader in
    ///         async let other = downloader.download(second)
    ///         return try await [downloader.download(first), other]
    ///     }
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - body: Receives the downloader.
    /// - Returns: The value of `body`.
    /// - Throws: The errors of `init` and of `body`.
    @discardableResult
    public static func withDownloader<Value>(
        _ configuration: Configuration = Configuration(), _ body: (Downloader) async throws -> Value
    ) async throws -> Value {
        let downloader = try Downloader(configuration)
        do {
            let value = try await body(downloader)
            await downloader.shutdown()
            return value
        } catch {
            await downloader.shutdown()
            throw error
        }
    }

    /// The maximum number of files of the process-wide downloader that are active or wait to be renamed. Each
    /// may hold a descriptor, and the rest of the program also needs descriptors and threads.
    private static let (sharedFiles, sharedCommits) = (12, 4)

    private static let ofProcess = Result { () throws(DownloadError) in
        var configuration = Configuration()
        configuration.limits.mostAutomaticFiles = sharedFiles
        return try Downloader(configuration, isShared: true)
    }

    /// The downloader for calls without a configuration, with the default settings. Created on first use.
    /// ``shutdown()`` has no effect on it.
    ///
    /// - Throws: `DownloadError` if the network engine cannot be started.
    public static var shared: Downloader { get throws(DownloadError) { try ofProcess.get() } }

    /// Downloads one file with a downloader shared by all such calls of the process: any number of concurrent
    /// calls is subject to the default caps.
    ///
    ///     let file = try await Downloader.download(url, to: .directory(path: "images")).fileURL
    ///
    /// - Parameters:
    ///   - url: An absolute http or https URL.
    ///   - destination: The destination of the file.
    ///   - headers: Header fields for the URL's host.
    ///   - configuration: The settings, for a separate downloader with its own threads and connections.
    /// - Returns: The complete file.
    /// - Throws: `DownloadError`, or `CancellationError` if the task is cancelled.
    @discardableResult
    public static func download(
        _ url: String, to destination: DownloadRequest.Destination,
        headers: [HTTPHeader] = [], configuration: Configuration? = nil
    ) async throws -> DownloadResult {
        let request = try DownloadRequest(url, to: destination, headers: headers)
        guard let configuration else { return try await shared.download(request) }
        return try await withDownloader(configuration) { try await $0.download(request) }
    }

    /// Downloads a file, and returns when it is complete, verified and under its final name.
    ///
    /// Cancelling the task stops the download with a checkpoint; the same request later resumes there.
    ///
    /// - Returns: The complete file.
    /// - Throws: `DownloadError`; `CancellationError` if the task was cancelled.
    @discardableResult
    public func download(_ request: DownloadRequest) async throws -> DownloadResult {
        try await start(request).finish()
    }

    /// Starts a download and returns at once. It runs after all downloads that were started earlier.
    ///
    /// - Returns: The handle of the download. An invalid request makes its result fail.
    public func start(_ request: DownloadRequest) -> DownloadHandle {
        start(DownloadTask(request))
    }

    /// Starts a download with internal options.
    package func start(_ task: DownloadTask) -> DownloadHandle {
        let tracker = ProgressTracker()
        let runs = DownloadRuns(tracker: tracker, paused: paused, isPausable: !task.request.isPiped)
        runs.begin(makeDownload(task, tracker)) { [self] in
            var task = task
            // The bytes on disk now belong to this download.
            if tracker.hasBegun { task.request.startsOver = false }
            return makeDownload(task, tracker)
        }
        return DownloadHandle(runs: runs, tracker: tracker)
    }

    /// Requests a file as a download would, with one request and its redirects, without storing it.
    ///
    /// - Returns: The length, the name, and whether the server supports ranges.
    /// - Throws: `DownloadError`, with code `shutDown` if the downloader is shut down; `CancellationError` if
    ///   the task is cancelled.
    public func inspect(_ request: DownloadRequest) async throws -> RemoteFile {
        try await untilShutdown {
            try await makeDownload(DownloadTask(request), ProgressTracker()).look()
        }
    }

    /// Runs a request that has no handle.
    ///
    /// - Throws: `DownloadError` with code `shutDown` if a shutdown ended it, and not the caller's
    ///   cancellation; the other errors of `body`.
    func untilShutdown<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch is CancellationError where paused.isShutDown && !Task.isCancelled {
            throw DownloadError.shutDown()
        }
    }

    private func makeDownload(_ task: DownloadTask, _ tracker: ProgressTracker) -> FileDownload {
        let request = task.request
        var configuration = configuration.withLock { $0 }
        if let tries = request.tries { configuration.retry = tries.applied(to: configuration.retry) }
        let slot = scheduler.submit(priority: request.priority, subject: request.source.hashValue)
        var client = client(for: request, slot, configuration)
        client.redirectRule.refusesDirectories = task.refusesDirectories
        client.patienceSeconds = [task.patienceSeconds, client.patienceSeconds].compactMap { $0 }.min()
        client.ifEncoded = request.ifEncoded
        client.chosenName = request.destination.file?.lastComponent?.string
        tracker.follows(client.counters)
        tracker.mayHave(
            HoldUpLedger.Allowance(
                request.segments ?? configuration.segments, configuration.limits,
                hosts: Set(request.sources.map(\.origin)).count),
            isPiped: request.isPiped)
        let transport = configuration.transport
        let clients = request.sources.map { [client] source in
            let access = HostAccess(to: source, by: request.mirrorAccess, transport: transport)
            return source == request.source ? client : client.client(for: source, access)
        }
        tracker.follows(clients)
        return FileDownload(
            task, configuration, slot: slot, tracker: tracker, clients: clients, commits: commits,
            proofs: proofs, expired: expired, rounds: rounds)
    }

    func client(
        for request: DownloadRequest, _ slot: FileSlot, _ configuration: Configuration
    ) -> SourceClient {
        let isOfMirror = request.source.origin == request.mirrorAccess.origin?.origin
        let access = HostAccess(
            headers: configuration.transport.headers(for: request.source, request.headers),
            credentials: request.credentials,
            quotaAdvice: isOfMirror ? request.mirrorAccess.quotaAdvice : nil)
        let ofFile = request.rate ?? configuration.ratePerFile
        return client(
            of: request.source, access, slot,
            (ofFile.map { [RateLimiter(rate: $0, isOfFile: true)] } ?? []) + [rate],
            configuration)
    }

    /// - Parameter limiters: The buckets that limit the rate of its bytes.
    func client(
        of source: Source, _ access: HostAccess, _ slot: FileSlot, _ limiters: [RateLimiter],
        _ configuration: Configuration
    ) -> SourceClient {
        var client = SourceClient(
            of: source, access, engine: engine, slot: slot,
            redirectRule: configuration.transport.redirectRule, limiters: limiters, answered: answered,
            logger: configuration.logger)
        client.pipelines = configuration.transport.pipelines
        client.usesHTTP2 = configuration.transport.usesHTTP2
        client.addressFamily = configuration.transport.addressFamily
        client.sendsBasic = configuration.transport.authentication == .basic
        client.keepsCookies =
            configuration.transport.cookieFile == nil && configuration.transport.sendsRedirectCookies
        client.patience = configuration.transport.patience
        client.silence = SilenceWatch(seconds: configuration.silenceSeconds)
        client.longestOutage = configuration.retry.longestOutage.seconds
        client.patienceSeconds = configuration.retry.longestRequestedWait?.seconds
        return client
    }

    /// Returns when the connections of all previously cancelled downloads are closed.
    package func drain() async {
        await engine.drain()
    }

    /// Stops all downloads, with checkpoints, and ends the network engine. Later downloads fail with code
    /// `shutDown`.
    public func shutdown() async {
        guard !isShared else { return }
        paused.shutDown()
        await curl?.shutdown()
    }
}

extension Transport {
    fileprivate var redirectRule: RedirectRule {
        RedirectRule(maximum: maxRedirects, allowsInsecure: allowsInsecureRedirects)
    }
}

extension Downloader {
    /// Returns the fast path of small files for one run; `nil` if its settings or its engine do not allow it.
    package func makeFastPath() -> FastPath? {
        let configuration = configuration.withLock { $0 }
        guard let curl, FastPathRule.isAllowed(by: configuration) else { return nil }
        return FastPath(curl, scheduler, answered, configuration)
    }
}
