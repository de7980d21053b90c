import SegmentedDL
internal import SegmentedDLMirror

/// The library's settings from a command's options, and its log.
struct Session {
    var configuration = Configuration()
    let messages = MessageLog()

    /// Prints which headers are omitted, and sets the variables of proxies, because all commands that connect
    /// with the user's options create a session.
    init(limits: LimitOptions? = nil, transport: TransportOptions, report: ReportOptions, log: LogFile? = nil)
    {
        if !report.quiet { OmittedHeaders.tell(transport.access.omittedHeaders) }
        for (name, value) in transport.proxyVariables { ProcessEnvironment.set(name, to: value) }
        ProxyVariables.convertHosts()
        limits?.apply(to: &configuration)
        transport.apply(to: &configuration)
        configuration.logger = messages.logger(verbosity: report.verbosity, log: log)
        configuration.releaseAccess = Self.releaseAccess
    }

    /// Reads the environment, but only when a search for a proof begins.
    @Sendable
    private static func releaseAccess() -> MirrorAccess? {
        // An unusable token matters only to a mirror of releases, which reports it.
        guard let settings = try? ReleasesSettings(environment: ProcessEnvironment.variables) else {
            return nil
        }
        var access = MirrorAccess(for: settings.api)
        access.headers = settings.headers
        return access
    }

    /// Returns the settings for the downloads of a queue, which itself retries a download later if its host
    /// cannot be reached, while others run.
    func queued(_ transport: TransportOptions) -> Configuration {
        var configuration = configuration
        configuration.retry.longestOutage = .bounded(seconds: transport.retryMaxTime ?? 0)
        return configuration
    }

    /// Runs `body` with a downloader that is shut down afterwards.
    func withDownloader(_ body: (Downloader) async throws -> Int32) async throws -> Int32 {
        let downloader = try Downloader(configuration)
        let status = try await body(downloader)
        await downloader.shutdown()
        return status
    }
}
