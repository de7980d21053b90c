import SegmentedDL
import TestSupport
import Testing

@Suite("A file that its server always refuses", .timeLimit(.minutes(10)))
struct RefusedFileFaultTests {
    private static let names = (0..<10).map { "good\($0)" }

    /// Returns a fixture whose downloads send no request twice, however late a busy machine responds.
    private func patientFixture() async throws -> DownloadFixture {
        var fixture = try await DownloadFixture()
        fixture.configuration.silenceSeconds = 600
        return fixture
    }

    private func handles(
        _ downloader: Downloader, _ fixture: DownloadFixture, size: Int64, query: String
    ) throws -> [DownloadHandle] {
        try Self.names.map { name in
            downloader.start(
                try fixture.request(fixture.server.url("plain", size, name: name, query), to: name))
        }
    }

    private func failure(of handle: DownloadHandle) async throws -> DownloadError {
        try await #require(throws: DownloadError.self) { _ = try await handle.result }
    }

    @Test(
        "fails after its own retries, and ten others of its host use all connections", arguments: [503, 429])
    func beside(status: Int) async throws {
        var fixture = try await patientFixture()
        fixture.configuration.retry.retries = 7
        fixture.configuration.limits.activeFiles = .fixed(11)
        let downloader = try Downloader(fixture.configuration)
        let bad = downloader.start(
            try fixture.request(fixture.server.url("status", 1000, name: "bad", "code=\(status)"), to: "bad"))
        // So slow that a host with one connection would take minutes.
        let good = try handles(downloader, fixture, size: 2_000_000, query: "rate=250000")
        let error = try await failure(of: bad)
        for handle in good {
            let result = try await handle.result
            #expect(result.bottleneck?.kind != .refusals, "\(String(describing: result.bottleneck))")
        }
        await downloader.shutdown()
        for name in Self.names { try fixture.expectBytes(2_000_000, name: name) }

        #expect(error.code == .httpStatus && error.status == status)
        #expect(error.message.contains("serves other files but refuses this one (\(status))"), "\(error)")
        let requests = try await fixture.server.requests()
        #expect(requests.count { $0.target.contains("/bad?") } == 8)
        #expect(requests.allSatisfy { $0.status == ($0.target.contains("/bad?") ? status : 206) })
        #expect(try await fixture.server.peak().peakConcurrent >= 8)
    }

    @Test("next to a large one leaves it its connections")
    func besideLarge() async throws {
        let fixture = try await patientFixture()
        // A busy machine opens the last connections late: it takes a minute, unless it is cancelled then.
        let size: Int64 = 240_000_000
        let downloader = try Downloader(fixture.configuration)
        let bad = downloader.start(
            try fixture.request(fixture.server.url("status", 1000, name: "bad", "code=503"), to: "bad"))
        let large = downloader.start(
            try fixture.request(fixture.server.url("plain", size, name: "large", "rate=500000&delay=50")))
        #expect(try await failure(of: bad).status == 503)
        for await progress in large.progress(every: .milliseconds(10)) where progress.connections == 8 {
            break
        }
        #expect(large.state == .downloading)
        large.cancel()
        await downloader.shutdown()
        #expect(try await fixture.server.requests().count { $0.status == 503 } == 4)
    }

    @Test("with a stated wait is not retried earlier, and says so")
    func retryAfter() async throws {
        var fixture = try await patientFixture()
        fixture.configuration.limits.activeFiles = .fixed(11)
        let downloader = try Downloader(fixture.configuration)
        let bad = downloader.start(
            try fixture.request(
                fixture.server.url("status", 1000, name: "bad", "code=503&retry-after=1"), to: "bad"))
        let good = try handles(downloader, fixture, size: 1_500_000, query: "rate=250000")
        let error = try await failure(of: bad)
        for handle in good { _ = try await handle.result }
        await downloader.shutdown()
        #expect(error.message.contains("and requests a delay of 1 s"), "\(error)")
        #expect(error.retryAfter == .seconds(1))
        let tries = try await fixture.server.requests().filter { $0.status == 503 }.map(\.started).sorted()
        #expect(tries.count == 4)
        for (one, next) in zip(tries, tries.dropFirst()) { #expect(next - one >= 0.99) }
    }

    @Test("alone is waited for like a busy host")
    func alone() async throws {
        let fixture = try await patientFixture()
        let error = try await fixture.failure(fixture.request(fixture.server.url("status", 1000, "code=503")))
        #expect(error.message.contains("the server is busy (503)"), "\(error)")
        #expect(try await fixture.server.requests().count == 4)
    }
}
