import SegmentedDL
import TestSupport
import Testing

@Suite("A rate limit on all downloads", .timeLimit(.minutes(10)))
struct SharedRateTests {
    @Test("is shared: small files finish before a large one that started first", arguments: [1, 4])
    func shared(segments: Int) async throws {
        let fixture = try await DownloadFixture()
        var configuration = fixture.configuration
        configuration.limits.rate = 1_000_000
        configuration.segments = .fixed(segments)
        let downloader = try Downloader(configuration)
        func start(_ name: String, _ size: Int64) throws -> DownloadHandle {
            downloader.start(try fixture.request(fixture.server.url("plain", size, name: name), to: name))
        }
        // It would take longer than the test's limit, because on a busy machine the test resumes only after
        // seconds.
        let large = try start("large", 200_000_000)
        for await progress in large.progress(every: .milliseconds(10)) where progress.bytesCompleted > 0 {
            break
        }
        for handle in try (1...3).map({ try start("small\($0)", 100_000) }) { _ = try await handle.result }
        #expect(large.state == .downloading)
        await downloader.shutdown()
    }
}
