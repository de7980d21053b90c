import ArgumentParser
import SegmentedDL
import SegmentedDLQueue
import SystemPackage

struct QueueStart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Run the queue.",
        discussion: """
            On a terminal, it shows a list that is controlled by keys (? lists them) until q; otherwise it ends when nothing is \
            left to do. In that case, a download that has used up its retries is tried again twice, after at most 10 \
            and 20 seconds, before it fails; with the list or --keep-running, five times, with delays of at most 310 \
            seconds in all. --retries also limits these rounds: with 0, the first failure is final. \
            Otherwise a delay requested by a host is observed. The exit status is 1 as long \
            as the queue contains a failed download, even an old one.

            --queue-order applies to downloads added in the meantime; use move and priorities to change the \
            order of existing ones. INT, TERM and HUP end it with checkpoints; the next start resumes.
            """)

    @Argument(
        help: ArgumentHelp(
            "Paused, failed or cancelled downloads to start again.", valueName: "select"))
    var selectors: [Selector] = []

    @OptionGroup var location: QueueLocation

    @Flag(help: "Wait for further downloads when all are done.")
    var keepRunning = false

    @Flag(help: "End when all are done, even on a terminal.")
    var untilIdle = false

    @Flag(help: "Pause the downloads that were running when the queue last ended.")
    var stayPaused = false

    @Option(
        help: ArgumentHelp(
            "The directory for incomplete files (default: that of their final names).",
            valueName: "directory"),
        completion: .directory)
    var incompleteDirectory: String?

    @OptionGroup var storage: StorageOptions

    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "Connections") var transport: TransportOptions
    @OptionGroup(title: "Output") var report: ReportOptions

    func validate() throws {
        if keepRunning, untilIdle {
            throw ValidationError("--keep-running and --until-idle cannot be combined.")
        }
        if let daemon = location.usualRemote {
            throw ValidationError(
                "SEGDL_REMOTE refers to the queue of \(daemon), where segdl serve already runs it. To run one here, specify it (--queue), or unset SEGDL_REMOTE."
            )
        }
    }

    func run() async throws {
        Signals.ignoreFailedWrites()
        try await end {
            let session = Session(limits: limits, transport: transport, report: report)
            return try await start(try configuration(session), session.messages)
        }
    }

    private func configuration(_ session: Session) throws(DownloadError) -> ManagerConfiguration {
        var configuration = ManagerConfiguration(store: try location.path())
        configuration.downloads = session.queued(transport)
        storage.apply(to: &configuration.downloads)
        configuration.downloads.incompleteDirectory = incompleteDirectory.map { FilePath($0) }
        configuration.onRestore = stayPaused ? .stayPaused : .resume
        let authorization = Authorization(headers: transport.headers, credentials: transport.credentials)
        if authorization != Authorization() { configuration.authorize = { _, _ in authorization } }
        configuration.resolvesLocations()
        configuration.onComplete = { action, receipt, _ in
            try await CompletionCommand.run(action, for: receipt)
        }
        return configuration
    }

    /// Returns the retry policy for downloads that have used up the retries of one attempt.
    ///
    /// - Parameters:
    ///   - endsByItself: True if something may wait for the end of the run.
    ///   - retries: The maximum number of retries; `nil` for the default.
    static func retry(endsByItself: Bool, retries: Int?) -> RetryPolicy {
        var retry = ManagerConfiguration.defaultRetry
        if endsByItself { retry.retries = 2 }
        retry.retries = min(retry.retries, retries ?? .max)
        return retry
    }

    private func start(_ configuration: ManagerConfiguration, _ messages: MessageLog) async throws -> Int32 {
        let isOnScreen = report.wantsBars && FullScreen.isPossible(terminal: Terminal())
        let endsByItself = !keepRunning && (untilIdle || !isOnScreen)
        var configuration = configuration
        await CapKeeper(for: configuration, messages: messages).apply(to: &configuration)
        configuration.retry = Self.retry(endsByItself: endsByItself, retries: transport.retries)
        // The list reads all of them several times a second.
        if isOnScreen { configuration.receiptsInMemory = .max }
        let manager = try await DownloadManager(configuration)
        let run = QueueRun(
            manager: manager, messages: messages,
            ends: endsByItself ? .whenIdle : .never)
        // Before any download starts, because one may fail immediately, and each failure is shown.
        let events = isOnScreen ? nil : manager.events(limit: .max)
        do {
            for selector in selectors { try await manager.start(selector.selection) }
        } catch {
            try await manager.shutdown()
            throw error
        }
        let socket = await QueueSocket.listen(for: manager, of: configuration.store, messages: messages)
        let status = await withTaskGroup(of: Void.self) { serving in
            serving.addTask { await socket?.run() }
            // Reply to the last command before the queue is closed.
            func stopServing() async {
                await socket?.stop()
                serving.cancelAll()
                await serving.waitForAll()
            }
            return isOnScreen
                ? await run.runOnScreen(beforeShutdown: stopServing)
                : await run.run(with: report.makeRenderer(), events: events, beforeShutdown: stopServing)
        }
        try await manager.shutdown()
        return status
    }
}
