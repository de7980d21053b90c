import Foundation
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

/// A server that offers HTTP/2 and violates the protocol: `Tests/H2Server`. One test at a time, because a
/// server in Python and its streams need a core.
@Suite("HTTP/2", .serialized, .enabled(if: H2Server.isInstalled, Comment(rawValue: H2Server.notInstalled)))
struct HTTP2Tests {
    private static let size: Int64 = 20_000
    /// Less than the 16 KiB after which a connection that pauses is replaced, as by a busy machine.
    private static let smallest: Int64 = 2_000

    private struct Fixture {
        let server: H2Server
        let directory: TemporaryDirectory
        var configuration = Configuration()

        init(_ change: (inout H2Server.Settings) -> Void = { _ in }) async throws {
            var settings = H2Server.Settings()
            change(&settings)
            server = try await H2Server(settings)
            directory = try TemporaryDirectory()
            configuration.transport.certificateAuthorities = .init(server.authority.certificate)
            configuration.transport.lowSpeedTime = .seconds(3)
            configuration.retry.delay = .milliseconds(50)
        }

        /// Downloads files with different contents concurrently.
        ///
        /// - Returns: The number of failed ones.
        func download(
            _ count: Int, size: Int64 = HTTP2Tests.size, segments: Int? = nil,
            query: (Int) -> String = { _ in "" }
        ) async throws -> [DownloadResult] {
            let downloader = try Downloader(configuration)
            let requests = try (1...count).map { index in
                var request = try DownloadRequest(
                    server.url(size, name: "f\(index).bin", "seed=\(index)&" + query(index)),
                    to: .file(directory.filePath("f\(index).bin")))
                request.segments = segments.map { .fixed($0) }
                return request
            }
            let handles = requests.map { downloader.start($0) }
            var results: [DownloadResult] = []
            do {
                for handle in handles { results.append(try await handle.result) }
            } catch {
                await downloader.shutdown()
                throw error
            }
            await downloader.shutdown()
            for index in 1...count {
                let mismatch = try TestContent(seed: UInt64(index)).firstMismatch(
                    inFile: directory.file("f\(index).bin"), length: size)
                #expect(mismatch == nil, "file \(index) differs at \(mismatch ?? -1)")
            }
            let names = Set((1...count).map { "f\($0).bin" })
            #expect(Set(directory.names.filter { $0.hasPrefix("f") }) == names)
            return results
        }
    }

    @Test("small files are streams of one connection, with one request each")
    func streams() async throws {
        var fixture = try await Fixture()
        fixture.configuration.transport.lowSpeedTime = .seconds(90)
        fixture.configuration.silenceSeconds = 90
        _ = try await fixture.download(200, size: Self.smallest) { $0 <= 4 ? "" : "streams=9" }
        let log = try await fixture.server.log()
        let used = log.requests.map { "\($0.connection)/\($0.stream ?? 0) \($0.path)" }
        #expect(log.connections.count == 1, "\(log.connections) \(used)")
        #expect(log.requests.count == 200)
        #expect(log.peakStreams > 8 && log.peakStreams <= 100)
    }

    @Test(
        "small files of a list are streams of one connection, and those arrive that fail there",
        arguments: [
            "", "refused", "goaway", "close", "reset-middle", "end-early", "status&code=503", "no-answer",
            "end-early&no-length=1",
        ])
    func list(fault: String) async throws {
        let fixture = try await Fixture()
        let count = 80
        let urls = (1...count).map { index in
            let isFaulty = index > 30 && index.isMultiple(of: 5) && !fault.isEmpty
            return fixture.server.url(
                Self.size, name: "f\(index).bin",
                "seed=\(index)&" + (isFaulty ? "fault=\(fault)&until=1" : ""))
        }
        try fixture.directory.write(urls.joined(separator: "\n"), to: "list")
        let result = try await Segdl.run(
            [
                "fetch", "-i", "list", "-j", "4", "-vv", "--cacert", fixture.server.authority.certificate,
                "--low-speed-time", "3", "--retry-delay", "0.05",
            ], in: fixture.directory)
        #expect(result.status == 0, "\(result.errors)")
        for index in 1...count {
            let mismatch = try TestContent(seed: UInt64(index)).firstMismatch(
                inFile: fixture.directory.file("f\(index).bin"), length: Self.size)
            #expect(mismatch == nil, "file \(index) differs at \(mismatch ?? -1)")
        }
        let counts = try #require(
            result.errors.split(separator: "\n").compactMap { SmallFileFaultTests.counts(String($0)) }.first)
        let log = try await fixture.server.log()
        #expect(counts.entered > 30 && log.peakConnections <= 8, "\(counts), \(log.peakConnections)")
        guard fault.isEmpty else { return }
        #expect(counts.left == 0 && log.connections.count == 1 && log.requests.count == count)
    }

    @Test("small files of a list are requested in HTTP/1.1 if the settings say so")
    func withoutHTTP2() async throws {
        let fixture = try await Fixture()
        let count = 80
        let urls = (1...count).map { fixture.server.url(Self.size, name: "f\($0).bin", "seed=\($0)") }
        try fixture.directory.write(urls.joined(separator: "\n"), to: "list")
        let result = try await Segdl.run(
            ["fetch", "-i", "list", "-j", "4", "-vv", "--http1.1"]
                + ["--cacert", fixture.server.authority.certificate], in: fixture.directory)
        #expect(result.status == 0, "\(result.errors)")
        let counts = try #require(
            result.errors.split(separator: "\n").compactMap { SmallFileFaultTests.counts(String($0)) }.first)
        let log = try await fixture.server.log()
        #expect(counts.entered > 30 && log.requests.count == count, "\(counts)")
        #expect(log.connections.allSatisfy { $0.alpn == "http/1.1" } && log.peakConnections <= 8)
    }

    @Test("as many requests share a connection as the server allows, beyond libcurl's default of 100")
    func allStreams() async throws {
        var fixture = try await Fixture { $0.maxStreams = 128 }
        fixture.configuration.limits.activeFiles = 132
        fixture.configuration.transport.lowSpeedTime = .seconds(90)
        fixture.configuration.silenceSeconds = 90
        _ = try await fixture.download(132, size: Self.smallest) { $0 <= 4 ? "" : "streams=101" }
        let log = try await fixture.server.log()
        #expect(log.connections.count == 1)
        #expect(log.requests.count == 132)
        #expect(log.peakStreams > 100 && log.peakStreams <= 128, "\(log.peakStreams)")
    }

    @Test("the segments of a large file have their own connections, and its start is requested once")
    func segments() async throws {
        let fixture = try await Fixture { $0.rate = 2_000_000 }
        let results = try await fixture.download(1, size: 8_000_000, segments: 4)
        #expect(results[0].connections > 1)
        let log = try await fixture.server.log()
        #expect(log.connections.count { $0.alpn == "h2" } == 1)
        #expect(log.connections.count { $0.alpn == "http/1.1" } >= 3)
        // Including those that were just replaced.
        #expect(log.peakConnections <= 8)
        #expect(log.requests.count { $0.range == "bytes=0-" } == 1)
    }

    @Test("large files that were requested together take turns, four at a time")
    func turns() async throws {
        let fixture = try await Fixture { ($0.delayMs, $0.rate) = (100, 4_000_000) }
        let downloader = try Downloader(fixture.configuration)
        func start(_ index: Int, _ size: Int64) throws -> DownloadHandle {
            downloader.start(
                try DownloadRequest(
                    fixture.server.url(size, name: "f\(index).bin", "seed=\(index)&"),
                    to: .file(fixture.directory.filePath("f\(index).bin"))))
        }
        let small = try (1...8).map { try start($0, Self.size) }
        let large = try (9...24).map { try start($0, 3_000_000) }
        var most = 0
        while !large.allSatisfy({ $0.state.isFinal }) {
            most = max(most, large.count { $0.state == .downloading })
            try await Task.sleep(for: .milliseconds(5))
        }
        for handle in small + large { _ = try await handle.result }
        await downloader.shutdown()
        #expect(most > 1 && most <= 4, "\(most)")
        for index in 1...24 {
            let mismatch = try TestContent(seed: UInt64(index)).firstMismatch(
                inFile: fixture.directory.file("f\(index).bin"), length: index > 8 ? 3_000_000 : Self.size)
            #expect(mismatch == nil, "file \(index) differs at \(mismatch ?? -1)")
        }
        let log = try await fixture.server.log()
        #expect(log.peakConnections <= 8, "\(log.peakConnections)")
    }

    @Test("the cap on all connections includes the idle one shared by small files", arguments: [2, 3])
    func total(cap: Int) async throws {
        var fixture = try await Fixture()
        fixture.configuration.limits.connections = cap
        let downloader = try Downloader(fixture.configuration)
        let sizes: [Int64] = [3_000_000, 2_000, 2_000_000, 2_000, 1_500_000, 2_000]
        let handles = try sizes.enumerated().map { index, size in
            downloader.start(
                try DownloadRequest(
                    fixture.server.url(size, name: "f\(index).bin", "seed=\(index + 1)&rate=500000"),
                    to: .file(fixture.directory.filePath("f\(index).bin"))))
        }
        for handle in handles { _ = try await handle.result }
        await downloader.shutdown()
        for (index, size) in sizes.enumerated() {
            let mismatch = try TestContent(seed: UInt64(index + 1)).firstMismatch(
                inFile: fixture.directory.file("f\(index).bin"), length: size)
            #expect(mismatch == nil, "file \(index) differs at \(mismatch ?? -1)")
        }
        #expect(try await fixture.server.log().peakConnections <= cap)
    }

    @Test("small files next to a large one do not get more connections than the cap")
    func mixed() async throws {
        var fixture = try await Fixture { $0.rate = 1_000_000 }
        fixture.configuration.limits.connectionsPerHost = 3
        let downloader = try Downloader(fixture.configuration)
        let large = downloader.start(
            try DownloadRequest(
                fixture.server.url(6_000_000, name: "large.bin"),
                to: .file(fixture.directory.filePath("large.bin"))))
        _ = try await fixture.download(50)
        _ = try await large.result
        await downloader.shutdown()
        let log = try await fixture.server.log()
        // Two downloaders, each with its own cap.
        #expect(log.peakConnections <= 6)
    }

    @Test(
        "a failing stream or connection is retried, and every file is exact",
        arguments: [
            "refused", "calm", "goaway", "graceful", "goaway-calm", "reset-middle", "end-early", "close",
            "stall",
            "http11", "http11&how=goaway", "reset-noerror", "reset-noerror&no-length=1",
            "end-early&no-length=1",
            "status&code=503", "status&code=429&retry-after=1", "no-answer",
        ])
    func failing(fault: String) async throws {
        let fixture = try await Fixture()
        _ = try await fixture.download(40) { index in
            index.isMultiple(of: 5) ? "fault=\(fault)&until=1" : ""
        }
        let log = try await fixture.server.log()
        #expect(log.peakConnections <= 8, "\(log.peakConnections) connections")
        #expect(log.requests.count <= 40 + 4 * 40, "\(log.requests.count) requests")
    }

    @Test("HTTP/1.1 connections among those in HTTP/2 do not mix up responses", arguments: [2, 3])
    func mixedProtocols(every: Int) async throws {
        let fixture = try await Fixture {
            $0.http1Every = every
            $0.requestsPerConnection = 5
        }
        _ = try await fixture.download(100)
        #expect(try await fixture.server.log().peakConnections <= 8)
    }

    @Test("an HTTP/1.1 response with a late body is not mixed up with others", arguments: [2, 3])
    func lateBodies(every: Int) async throws {
        for _ in 0..<3 {
            let fixture = try await Fixture {
                $0.http1Every = every
                $0.requestsPerConnection = 5
            }
            _ = try await fixture.download(40) { _ in "body_delay_ms=100" }
            #expect(try await fixture.server.log().peakConnections <= 8)
        }
    }

    @Test("the rest of files whose connection is lost arrives over their own connections, unmixed")
    func lost() async throws {
        for _ in 0..<5 {
            let fixture = try await Fixture()
            _ = try await fixture.download(40) { $0.isMultiple(of: 5) ? "fault=close&until=1" : "" }
        }
    }

    @Test("a server that allows one stream at a time gets one request at a time", arguments: [1, 3])
    func fewStreams(most: Int) async throws {
        let fixture = try await Fixture { $0.maxStreams = most }
        _ = try await fixture.download(60)
        let log = try await fixture.server.log()
        #expect(log.peakConnections <= 8)
        #expect(log.requests.count { !$0.excess } <= 66, "\(log.requests.count { !$0.excess })")
        // Over a new connection, all waiting requests may be sent before its SETTINGS arrive (RFC 9113, 3.4),
        // and the server refuses them unprocessed: once per connection, however slow the machine is.
        let refused = Dictionary(grouping: log.requests.filter(\.excess), by: \.connection)
        #expect(refused.values.allSatisfy { $0.count < 60 }, "\(refused.mapValues(\.count))")
    }

    @Test("a file that waits for the cap on requests reports that")
    func requestCap() async throws {
        var fixture = try await Fixture()
        fixture.configuration.limits.requestsPerHost = 1
        let downloader = try Downloader(fixture.configuration)
        func start(_ name: String, _ size: Int64, _ query: String) throws -> DownloadHandle {
            var request = try DownloadRequest(
                fixture.server.url(size, name: name, query), to: .file(fixture.directory.filePath(name)))
            request.segments = .fixed(1)
            return downloader.start(request)
        }
        // The server's first response shows that it shares connections.
        _ = try await start("first", Self.size, "").result
        let slow = try start("slow", 30_000_000, "rate=500000")
        for await progress in slow.progress(every: .milliseconds(10)) where progress.bytesCompleted > 0 {
            break
        }
        let waiting = try start("waiting", Self.size, "")
        var found: Bottleneck?
        for await progress in waiting.progress(every: .milliseconds(50)) where progress.bottleneck != nil {
            found = progress.bottleneck
            break
        }
        await downloader.shutdown()
        #expect(found?.kind == .requestCap && found?.connections == 1, "\(String(describing: found))")
    }

    @Test("connections that accept few requests each are replaced", arguments: [1, 7])
    func shortLived(requests: Int) async throws {
        let fixture = try await Fixture { $0.requestsPerConnection = requests }
        _ = try await fixture.download(60)
        #expect(try await fixture.server.log().peakConnections <= 8)
    }

    @Test(
        "a server that breaks HTTP/2 at its start is accessed over HTTP/1.1",
        arguments: [H2Server.Settings.Preface.garbage, .close, .http1])
    func preface(kind: H2Server.Settings.Preface) async throws {
        let fixture = try await Fixture { $0.preface = kind }
        _ = try await fixture.download(40)
        let log = try await fixture.server.log()
        #expect(log.requests.count == 40)
        #expect(log.requests.allSatisfy { $0.stream == nil })
        #expect(log.peakConnections <= 8)
        #expect(log.connections.count { $0.alpn == "h2" } <= 3 * 8)
    }

    @Test("a server whose windows never open is accessed over HTTP/1.1")
    func shut() async throws {
        let fixture = try await Fixture { $0.windowShut = true }
        _ = try await fixture.download(12)
        #expect(try await fixture.server.log().peakConnections <= 8)
    }

    @Test("a server that does not offer it is accessed over HTTP/1.1, within the cap on connections")
    func notOffered() async throws {
        let fixture = try await Fixture {
            $0.alpn = ["http/1.1"]
            $0.delayMs = 200
        }
        _ = try await fixture.download(60)
        let log = try await fixture.server.log()
        #expect(log.requests.count == 60)
        #expect(log.requests.allSatisfy { $0.stream == nil })
        #expect(log.peakConnections <= 8)
    }

    @Test("a response without a length is requested again over HTTP/1.1, where its end is certain")
    func withoutLength() async throws {
        let fixture = try await Fixture()
        let results = try await fixture.download(3) { _ in "no-length=1" }
        #expect(results.allSatisfy { $0.isEndProven })
        let log = try await fixture.server.log()
        #expect(log.requests.count { $0.end == .complete && $0.stream == nil } == 3)
    }
}
