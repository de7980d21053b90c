import SegmentedDL
internal import SegmentedDLMirror

/// The library's settings as a command's options make them, and the log that the library writes to.
struct Session {
    var configuration = Configuration()
    let messages = MessageLog()

    init(limits: LimitOptions? = nil, transport: TransportOptions, report: ReportOptions, log: LogFile? = nil)
    {
        limits?.apply(to: &configuration)
        transport.apply(to: &configuration)
        configuration.logger = messages.logger(verbosity: report.verbosity, log: log)
    }

    /// Runs `body` with a downloader that is shut down after it.
    func withDownloader(_ body: (Downloader) async throws -> Int32) async throws -> Int32 {
        let downloader = try Downloader(configuration: configuration)
        let status = try await body(downloader)
        await downloader.shutdown()
        return status
    }
}
