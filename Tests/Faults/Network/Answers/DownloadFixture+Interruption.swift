import SegmentedDL
import TestSupport

extension DownloadFixture {
    /// The number of bytes received by an interrupted run; the server holds its response there.
    static let interruption: Int64 = 200_000

    /// Runs a download over one connection, and cancels it in the middle, as by Ctrl-C.
    func interrupt(_ request: DownloadRequest, at bytes: Int64 = interruption) async throws {
        var configuration = configuration
        configuration.segments = .fixed(1)
        let downloader = try Downloader(configuration)
        let handle = downloader.start(request)
        for await progress in handle.progress(every: .milliseconds(10))
        where progress.bytesCompleted >= bytes {
            break
        }
        handle.cancel()
        if let result = try? await handle.result { throw NotInterrupted(result: result) }
        await downloader.shutdown()
    }

    struct NotInterrupted: Error {
        let result: DownloadResult
    }
}
