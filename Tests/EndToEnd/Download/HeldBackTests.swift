import SegmentedDL
import SystemPackage
import TestContent
import TestSupport
import Testing

/// Each cause is provoked and must be reported. A busy machine is a cause as well, so each is provoked a few
/// times if necessary.
@Suite(
    "The bottleneck of a download", .serialized,
    .timeLimit(.minutes(15)))
struct HeldBackTests {
    private static let tries = 4

    /// Downloads a file of `bytes` until the cause is reported.
    ///
    /// - Returns: The bottleneck of the last download.
    private func bottleneck(
        _ kind: Bottleneck.Kind, _ bytes: Int64, _ query: String, from behaviour: String = "plain",
        _ change: (inout Configuration) -> Void = { _ in }
    ) async throws -> Bottleneck {
        var found: Bottleneck?
        for _ in 0..<Self.tries {
            found = try await download(bytes, query, from: behaviour, change)
            if found?.kind == kind { break }
        }
        #expect(found?.kind == kind, "\(String(describing: found))")
        return try #require(found)
    }

    private func download(
        _ bytes: Int64, _ query: String, from behaviour: String = "plain",
        _ change: (inout Configuration) -> Void = { _ in }
    ) async throws -> Bottleneck? {
        let fixture = try await DownloadFixture()
        let request = try fixture.request(fixture.server.url(behaviour, bytes, query))
        let result = try await download(request, fixture, change)
        try fixture.expectExact(bytes)
        return result.bottleneck
    }

    private func download(
        _ request: DownloadRequest, _ fixture: DownloadFixture,
        _ change: (inout Configuration) -> Void = { _ in }
    ) async throws -> DownloadResult {
        var configuration = fixture.configuration
        change(&configuration)
        return try await Downloader.withDownloader(configuration) { try await $0.download(request) }
    }

    @Test("the server's limit for each connection")
    func perConnection() async throws {
        let found = try await bottleneck(.connectionRate, 36_000_000, "rate=1000000&delay=200")
        // This is an average: a busy machine opens the last of the eight later.
        #expect((6...8).contains(try #require(found.connections)))
        #expect((0.8e6...1.2e6).contains(try #require(found.bytesPerSecond)), "\(found)")
    }

    @Test("a real server's limit for each connection, behind its burst")
    func nginx() async throws {
        let nginx = try await Nginx(server: "limit_rate 1m;")
        try TestContent(seed: 1).write(to: nginx.root.file("file.bin"), length: 48_000_000)
        var found: Bottleneck?
        for _ in 0..<Self.tries where found == nil {
            let fixture = try await DownloadFixture()
            found = try await download(fixture.request(nginx.url("file.bin")), fixture).bottleneck
            try fixture.expectExact(48_000_000)
        }
        #expect(found?.kind == .connectionRate, "\(String(describing: found))")
    }

    @Test("the line, which all connections share")
    func line() async throws {
        let found = try await bottleneck(.line, 16_000_000, "line=4000000&delay=200")
        #expect((3.2e6...4.8e6).contains(try #require(found.bytesPerSecond)), "\(found)")
    }

    @Test("our caps on connections, if more connections would have been faster")
    func caps() async throws {
        let all = try await bottleneck(.connectionCap, 8_000_000, "rate=1000000&delay=200") {
            $0.limits.connections = 2
        }
        #expect(all.connections == 2)
        let host = try await bottleneck(.hostCap, 8_000_000, "rate=1000000&delay=200") {
            $0.limits.connectionsPerHost = 2
        }
        #expect(host.connections == 2)
    }

    @Test("a cap that is not the cause is not named: the line is saturated anyway")
    func capOnAFullLine() async throws {
        _ = try await bottleneck(.line, 8_000_000, "line=2000000&delay=200") { $0.limits.connections = 2 }
    }

    @Test("our rate limits")
    func rates() async throws {
        let all = try await bottleneck(.rateCap, 3_000_000, "") { $0.limits.rate = 1_000_000 }
        #expect(all.bytesPerSecond == 1_000_000)
        _ = try await bottleneck(.fileRateCap, 3_000_000, "") { $0.ratePerFile = 1_000_000 }
    }

    @Test("the host's refusals", arguments: ["503", "429", "reset"])
    func refusals(how: String) async throws {
        _ = try await bottleneck(.refusals, 6_000_000, "k=1&how=\(how)&rate=2000000", from: "limit")
    }

    @Test("a server that is slow to respond, and one without ranges")
    func server() async throws {
        _ = try await bottleneck(.answers, 1000, "delay=1500")
        _ = try await bottleneck(.noRanges, 2_000_000, "rate=1000000", from: "no-ranges")
    }

    @Test("the CPU, which computes four digests of bytes that arrive quickly")
    func processor() async throws {
        let nginx = try await Nginx()
        // Zeros, which are cheap to produce; the digests verify them.
        let file = try FileDescriptor.open(
            nginx.root.filePath("file.bin"), .writeOnly, options: [.create], permissions: .ownerReadWrite)
        try file.resize(to: 300_000_000)
        try file.close()
        let checksums = try await FileDigest.compute(
            [.md5, .sha1, .sha256, .sha512], of: nginx.root.filePath("file.bin"))
        var found: Bottleneck?
        for _ in 0..<Self.tries where found?.kind != .processor {
            let fixture = try await DownloadFixture()
            var request = try fixture.request(nginx.url("file.bin"))
            request.checksums = checksums
            found = try await download(request, fixture) { $0.durability = .process }.bottleneck
        }
        #expect(found?.kind == .processor, "\(String(describing: found))")
    }

    @Test("neither is named for a single connection, because others might not have helped")
    func unknown() async throws {
        let found = try await download(2_000_000, "rate=1000000") { $0.segments = .fixed(1) }
        let kinds: [Bottleneck.Kind] = [.line, .connectionRate, .segmentCap]
        #expect(!kinds.contains { $0 == found?.kind }, "\(String(describing: found))")
    }

    @Test("a file that waits for the connections of another one reports that while it waits")
    func waiting() async throws {
        let fixture = try await DownloadFixture()
        var configuration = fixture.configuration
        configuration.limits.connections = 1
        configuration.limits.activeFiles = 2
        let downloader = try Downloader(configuration)
        let first = downloader.start(
            try fixture.request(fixture.server.url("plain", 3_000_000, "rate=1000000"), to: "first"))
        for await progress in first.progress(every: .milliseconds(10)) where progress.bytesCompleted > 0 {
            break
        }
        let second = downloader.start(
            try fixture.request(fixture.server.url("plain", 1_000_000, "rate=4000000"), to: "second"))
        var seen: Bottleneck?
        for await progress in second.progress(every: .milliseconds(50)) where progress.bottleneck != nil {
            seen = progress.bottleneck
            break
        }
        #expect(seen?.kind == .connectionCap && seen?.connections == 1, "\(String(describing: seen))")
        _ = try await first.result
        #expect(try await second.result.bottleneck?.kind == .connectionCap)
        await downloader.shutdown()
    }
}
