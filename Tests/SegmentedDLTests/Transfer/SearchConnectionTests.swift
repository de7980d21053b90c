import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import TestSupport

@Suite("Connections beside a search for a published digest", .timeLimit(.minutes(5)))
struct SearchConnectionTests {
    private static let content = [UInt8](repeating: 0, count: Int(ProofSearch.minimumLength)).indices.map {
        UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 16)
    }
    private static let directoryURL = "https://github.com/owner/name/releases/download/v1/"

    @Test("request the end of the file at once, although one of the host's connections is in use")
    func end() async throws {
        let directory = try TemporaryDirectory()
        var configuration = Configuration()
        configuration.durability = .process
        configuration.transport.usesHTTP2 = false
        let most = configuration.limits.connectionsPerHost
        let engine = MemoryEngine { request, _ in
            // The search requests the digest from another host.
            guard request.url.hasPrefix(Self.directoryURL) else {
                return .init(head: ResponseHead(status: 404))
            }
            let content = request.url.hasSuffix("other") ? Array(Self.content.prefix(200_000)) : Self.content
            var reply = MemoryEngine.Reply.honest(content, request.range)
            reply.distance = ServerDistance(roundTrip: 0.05, answer: 0.05)
            // All connections that the host accepts are in use, and the search has begun.
            reply.awaited = most + 1
            return reply
        }
        let downloader = Downloader(configuration: configuration, engine: engine)
        let otherRequest = try DownloadRequest(
            Self.directoryURL + "other", to: .file(directory.filePath("other")))
        async let other = downloader.download(otherRequest)
        while engine.requests.isEmpty { await Task.yield() }
        var request = try DownloadRequest(Self.directoryURL + "file", to: .file(directory.filePath("file")))
        request.proofPolicy = .search
        _ = try await downloader.download(request)
        _ = try await other
        #expect(try directory.read("file") == Self.content)
        await downloader.shutdown()
        let ranges = engine.requests.prefix(most + 1).compactMap { request -> ByteRange? in
            guard case .exactly(let range) = request.range else { return nil }
            return range
        }
        #expect(ranges.count == most - 2)
        let start = try #require(ranges.map(\.lowerBound).min())
        #expect(ByteRangeSet(ranges) == ByteRangeSet(start..<ProofSearch.minimumLength))
    }
}
