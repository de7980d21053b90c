import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import TestSupport

@Suite("Connections opened beside the first request", .timeLimit(.minutes(5)))
struct EarlyConnectionsTests {
    private static let content = [UInt8](repeating: 0, count: 400_000).indices.map {
        UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 16)
    }

    /// Downloads a file over a line with this round-trip time.
    ///
    /// - Parameter redirects: True if another host has the file.
    /// - Returns: The URLs for which connections were opened.
    private func connects(
        roundTrip: Double, _ segments: SegmentCount, length: Int64? = nil, redirects: Bool = false
    ) async throws -> [String] {
        let directory = try TemporaryDirectory()
        var configuration = Configuration()
        configuration.durability = .process
        configuration.minimumSegmentSize = 64 * 1024
        let expected = if case .fixed(let count) = segments { count } else { 1 }
        let engine = MemoryEngine { request, _ in
            if redirects, request.url == "http://host/a" {
                return .init(
                    head: ResponseHead(status: 302, fields: [HTTPHeader("Location", "http://other/a")]))
            }
            var reply = MemoryEngine.Reply.honest(Self.content, request.range)
            reply.distance = ServerDistance(roundTrip: roundTrip, answer: roundTrip)
            // All connections have requested their segments before the first one has its bytes.
            if case .from = request.range { reply.awaited = redirects ? expected + 1 : expected }
            return reply
        }
        engine.roundTrip = roundTrip
        let downloader = Downloader(configuration: configuration, engine: engine)
        var request = try DownloadRequest("http://host/a", to: .file(directory.filePath("a")))
        request.segments = segments
        request.expectedLength = length
        let result = try await downloader.download(request)
        #expect(result.length == Int64(Self.content.count))
        #expect(try directory.read("a") == Self.content)
        await downloader.shutdown()
        return engine.connects
    }

    @Test("are as many as the segments of a fixed number, without the first one")
    func far() async throws {
        #expect(try await connects(roundTrip: 0.05, .fixed(4)) == Array(repeating: "http://host/a", count: 3))
    }

    @Test("lead to the host that has the file")
    func redirected() async throws {
        let urls = try await connects(roundTrip: 0.05, .fixed(4), redirects: true)
        #expect(urls.count { $0 == "http://other/a" } == 3, "\(urls)")
    }

    @Test("are none over a short distance, or if their number depends on the speed")
    func near() async throws {
        #expect(try await connects(roundTrip: 0.01, .fixed(4)).isEmpty)
        #expect(try await connects(roundTrip: 0.05, .automatic).isEmpty)
        #expect(try await connects(roundTrip: 0.05, .fixed(1)).isEmpty)
    }

    @Test("are not more than the segments of a file of known length")
    func small() async throws {
        let urls = try await connects(roundTrip: 0.05, .fixed(8), length: Int64(Self.content.count))
        #expect(urls.count == 5, "\(urls)")
    }

    @Test("leave one of the connections that the caps allow")
    func cap() async throws {
        #expect(try await connects(roundTrip: 0.05, .fixed(7)).count == 6)
        #expect(try await connects(roundTrip: 0.05, .fixed(8)).count == 6)
    }
}
