import SegmentedDL
import TestSupport
import Testing

@Suite("A host's connection limit", .timeLimit(.minutes(10)))
struct HostLimitFaultTests {
    @Test("detected by one download is known to the next one", arguments: [503, 429])
    func shared(status: Int) async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 2_000_000
        let query = "k=2&how=\(status)&rate=4000000"
        var configuration = fixture.configuration
        configuration.segments = .fixed(8)
        let downloader = try Downloader(configuration)
        for name in ["a", "b"] {
            let url = fixture.server.url("limit", size, name: name, query)
            _ = try await downloader.download(fixture.request(url, to: name))
        }
        await downloader.shutdown()
        try expectExact(fixture, ["a", "b"], size)

        let refused = try await fixture.server.requests().filter { $0.status == status }
        #expect(refused.contains { $0.target.contains("/a?") })
        // Not zero: in a long run, a higher limit is tried now and then. Without this knowledge, six of eight
        // would be refused at once.
        #expect(refused.count { $0.target.contains("/b?") } < 6)
    }

    @Test("is learned by two simultaneous downloads, and both complete", arguments: [503, 429])
    func together(status: Int) async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 2_000_000
        var configuration = fixture.configuration
        configuration.segments = .fixed(4)
        let downloader = try Downloader(configuration)
        let handles = try ["a", "b"].map { name in
            let query = "k=2&how=\(status)&rate=4000000"
            return downloader.start(
                try fixture.request(fixture.server.url("limit", size, name: name, query), to: name))
        }
        for handle in handles { _ = try await handle.result }
        await downloader.shutdown()
        try expectExact(fixture, ["a", "b"], size)
        // Eight may be open before the first refusal arrives.
        let refused = try await fixture.server.requests().count { $0.status == status }
        #expect(refused <= 12, "\(refused) refused")
    }

    @Test("that shows as silence is learned, and not exceeded repeatedly", arguments: [1, 2])
    func silence(allowed: Int) async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.transport.lowSpeedTime = .seconds(1)
        fixture.configuration.transport.lowSpeedLimit = 1000
        let size: Int64 = 1_500_000
        let url = fixture.server.url("limit", size, "k=\(allowed)&how=silence&rate=400000")
        _ = try await fixture.download(fixture.request(url), segments: 6)
        try fixture.expectExact(size)
        // Connections opened at the same time all find out; after that the limit is known.
        let silent = try await fixture.server.requests().count { $0.status == nil }
        #expect((1...6).contains(silent), "\(silent) got silence")
    }

    @Test("with Retry-After makes all its downloads wait that long", arguments: ["1", "date+2"])
    func retryAfter(value: String) async throws {
        let fixture = try await DownloadFixture()
        var configuration = fixture.configuration
        // With one connection at a time, the second file cannot be requested before the refusal.
        configuration.limits.connections = 1
        configuration.segments = .fixed(1)
        let downloader = try Downloader(configuration)
        let handles = try ["a", "b"].map { name in
            let query = "times=1&code=503&retry-after=\(value)"
            return downloader.start(
                try fixture.request(fixture.server.url("status", 10_000, name: name, query), to: name))
        }
        for handle in handles { _ = try await handle.result }
        await downloader.shutdown()
        try expectExact(fixture, ["a", "b"], 10_000)

        let requests = try await fixture.server.requests().sorted { $0.started < $1.started }
        #expect(requests.map(\.status) == [503, 206, 206])
        // A lower bound: being late is not a failure.
        for later in requests.dropFirst() { #expect(later.started - requests[0].started >= 0.99) }
    }

    private func expectExact(_ fixture: DownloadFixture, _ names: [String], _ size: Int64) throws {
        #expect(fixture.directory.names == names)
        for name in names { try fixture.expectBytes(size, name: name) }
    }
}
