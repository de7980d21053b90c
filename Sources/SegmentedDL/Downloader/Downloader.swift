internal import Logging
import SegmentedDLSupport
package import SystemPackage

/// Downloads files in parallel segments, under one set of caps.
///
///     let downloader = try Downloader()
///     let result = try await downloader.download(DownloadRequest("https://example.com/disk.iso"))
///     await downloader.shutdown()
public final class Downloader: Sendable {
    private let configuration: Lock<Configuration>
    private let engine: any TransferEngine
    private let curl: CurlEngine?
    private let scheduler: GlobalScheduler
    private let rate: RateLimiter
    private let commits = CommitQueue()
    /// The longest wait that a host may ask for while other downloads of a queue could run.
    private static let patienceSeconds = 5.0

    /// The longest time that one revalidation batch may take, because otherwise it would hold up other work
    /// and the display of progress.
    private static let maximumTurnSeconds = 1.0

    /// Starts the network engine.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if a setting is out of its range.
    public convenience init(configuration: Configuration = Configuration()) throws(DownloadError) {
        try configuration.validate()
        let curl = try CurlEngine(
            transport: configuration.transport, maxConnections: configuration.limits.connections)
        self.init(configuration: configuration, engine: curl, curl: curl)
    }

    init(configuration: Configuration, engine: any TransferEngine, curl: CurlEngine? = nil) {
        self.configuration = Lock(configuration)
        self.engine = engine
        self.curl = curl
        scheduler = GlobalScheduler(limits: configuration.limits)
        rate = RateLimiter(rate: configuration.limits.rate)
    }

    /// The caps in force. Changing them affects what runs.
    public var limits: Limits { configuration.withLock { $0.limits } }

    /// Adds a notice to the log.
    package func note(_ text: String) {
        configuration.withLock { $0.logger }.notice("\(text)")
    }

    package var durability: Durability { configuration.withLock { $0.durability } }

    /// Returns the paths of a file until it is complete.
    package func place(for path: FilePath) -> DownloadPaths {
        DownloadPaths(path, in: configuration.withLock { $0.incompleteDirectory })
    }

    /// Changes the caps while downloads run. A smaller cap is reached as segments end; a rate limit changes
    /// at once.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`; nothing has changed then.
    public func setLimits(_ limits: Limits) throws(DownloadError) {
        try limits.validate()
        configuration.withLock { $0.limits = limits }
        scheduler.set(limits)
        rate.setRate(limits.rate)
    }

    /// Downloads a file, and returns when it is complete, verified and under its final name.
    ///
    /// Cancelling the task stops the download with a checkpoint; the same request later resumes there.
    ///
    /// - Throws: `DownloadError`, or `CancellationError`.
    public func download(_ request: DownloadRequest) async throws -> DownloadResult {
        try await start(request).result
    }

    /// Starts a download and returns at once. Its turn comes after all downloads that were started before.
    ///
    /// An invalid request shows as an error of the handle's result.
    public func start(_ request: DownloadRequest) -> DownloadHandle {
        start(DownloadTask(request))
    }

    /// Starts a download with options that only this package has.
    package func start(_ task: DownloadTask, delegate: (any DownloadDelegate)? = nil) -> DownloadHandle {
        let (request, configuration) = (task.request, configuration.withLock { $0 })
        let slot = scheduler.submit(priority: request.priority)
        var client = client(for: request, slot, configuration)
        client.patienceSeconds = delegate == nil ? nil : Self.patienceSeconds
        let tracker = ProgressTracker()
        let download = FileDownload(
            task, configuration, slot: slot, tracker: tracker,
            clients: request.sources.map { [client] source in
                let access = HostAccess(
                    to: source, by: request.mirrorAccess, shared: configuration.transport.sharedHeaders)
                return source == request.source ? client : client.client(for: source, access)
            },
            commits: commits, delegate: delegate)
        return DownloadHandle(task: Task { try await download.run() }, tracker: tracker)
    }

    /// Asks one host about copies of its files.
    ///
    /// - Parameter request: The request that downloads one of the files: the questions about all of them are
    ///   like it.
    /// - Throws: `CancellationError` if no question was sent any more.
    package func ask(
        about copies: [ConditionalRequests.Request], like request: DownloadRequest
    ) async throws -> ConditionalAnswers {
        let configuration = configuration.withLock { $0 }
        let inVain = ConditionalAnswers(answers: copies.map { _ in .none }, isInVain: true)
        // Requests with credentials, netrc or cookies go through libcurl. Invalid requests fail in the
        // download itself.
        guard request.credentials == nil, !configuration.transport.usesNetrc,
            configuration.transport.cookieFile == nil, (try? request.validate(configuration)) != nil
        else { return inVain }
        let slot = scheduler.submit(priority: 0)
        defer { slot.release() }
        try await slot.waitForStart()
        let client = client(for: request, slot, configuration)
        let batch = ConditionalRequests(to: request.source.origin, headers: client.fields(), copies)
        return try await client.withPermit { permit in
            let said = try await engine.ask(batch, for: Self.maximumTurnSeconds)
            if let refusal = said.refusal {
                permit.report(ResponseVerdict(refusal, asked: .none, now: WallClock.seconds()))
            } else if said.answers.contains(.unchanged) {
                permit.worked()
            } else if said.isInVain, !said.answers.contains(.other) {
                permit.dropped()
            }
            return said
        }
    }

    private func client(
        for request: DownloadRequest, _ slot: FileSlot, _ configuration: Configuration
    ) -> SourceClient {
        let access = HostAccess(
            headers: configuration.transport.sharedHeaders + request.headers,
            credentials: request.credentials)
        let ofFile = request.rate ?? configuration.ratePerFile
        return client(
            of: request.source, access, slot, (ofFile.map { [RateLimiter(rate: $0)] } ?? []) + [rate],
            configuration)
    }

    /// - Parameter limiters: The buckets that the bytes go through.
    private func client(
        of source: Source, _ access: HostAccess, _ slot: FileSlot, _ limiters: [RateLimiter],
        _ configuration: Configuration
    ) -> SourceClient {
        SourceClient(
            of: source, access, engine: engine, slot: slot,
            maxRedirects: configuration.transport.maxRedirects, limiters: limiters,
            logger: configuration.logger)
    }

    /// Fetches a document into memory, under the caps that files have, and ahead of all files: without
    /// listings there is soon no work for them.
    ///
    /// - Parameter access: The header fields and credentials, which only the host that they are for gets.
    /// - Throws: `DownloadError`, or `CancellationError`.
    package func document(
        at source: Source, access: MirrorAccess, maximumBytes: Int
    ) async throws -> DocumentFetch.Document {
        let configuration = configuration.withLock { $0 }
        let slot = scheduler.submit(priority: .max)
        defer { slot.release() }
        let access = HostAccess(to: source, by: access, shared: configuration.transport.sharedHeaders)
        let client = client(of: source, access, slot, [rate], configuration)
        do {
            try await slot.waitForStart()
            return try await DocumentFetch(limit: maximumBytes, retry: configuration.retry).fetch(client)
        } catch let failure as TransferFailure {
            throw failure.error(for: source, file: source.description)
        }
    }

    /// Returns when the connections of all downloads that were cancelled before are closed.
    package func settle() async {
        await engine.drain()
    }

    /// Stops all downloads, with checkpoints, and ends the network engine. The downloader cannot be used
    /// after.
    public func shutdown() async {
        await curl?.shutdown()
    }
}

extension Transport {
    /// The header fields of each request to any source that the caller gave.
    fileprivate var sharedHeaders: [HTTPHeader] { referer.map { [HTTPHeader("Referer", $0)] } ?? [] }
}
