import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import TestSupport

@Suite("The connections among which a file is divided", .timeLimit(.minutes(5)))
struct StartingConnectionsTests {
    private static let content = [UInt8](repeating: 7, count: 6 << 20)

    @Test("are one fewer while a search for a proof holds one", arguments: [8, 4])
    func search(cap: Int) async throws {
        let directory = try TemporaryDirectory()
        var configuration = Configuration()
        configuration.durability = .process
        configuration.limits.connectionsPerHost = cap
        // Nothing ends before as many requests as the host accepts connections have been sent.
        let engine = MemoryEngine { request, _ in
            var reply =
                request.url == "http://host/a"
                ? MemoryEngine.Reply.honest(Self.content, request.range)
                : MemoryEngine.Reply(
                    head: ResponseHead(status: 200, fields: [HTTPHeader("Content-Type", "text/html")]),
                    body: [UInt8]("<html><a href='b'>b</a></html>".utf8))
            reply.distance = ServerDistance(roundTrip: 0.1, answer: 0.1)
            reply.awaited = cap
            return reply
        }
        let downloader = Downloader(configuration: configuration, engine: engine)
        let result = try await downloader.download(
            DownloadRequest("http://host/a", to: .file(directory.filePath("a"))))
        #expect(result.length == Int64(Self.content.count))
        await downloader.shutdown()
        let ranges = engine.requests.prefix(cap).filter { $0.url == "http://host/a" }.map(\.range)
        // The first request has no end. The others are for the rest of the file, without a gap.
        let exact = ranges.compactMap { if case .exactly(let range) = $0 { range } else { nil } }
            .sorted { $0.lowerBound < $1.lowerBound }
        #expect(exact.count >= cap - 2, "\(ranges)")
        #expect(exact.map(\.lowerBound).dropFirst().elementsEqual(exact.map(\.upperBound).dropLast()))
        #expect(exact.last?.upperBound == Int64(Self.content.count), "\(ranges)")
    }
}
