import SegmentedDLSupport
import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

@Suite("The request for a segment")
struct SegmentTransferTests {
    private let directory: TemporaryDirectory
    private let content = TestContent(seed: 11).bytes(0..<2000)

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(
        "is not sent by a connection whose comparison has used up the host's quota, and does not wait for it")
    func exhausted() async throws {
        let engine = MemoryEngine { [content] request, _ in
            var reply = MemoryEngine.Reply.honest(content, request.range)
            reply.head.append(HTTPHeader("RateLimit-Remaining", "0"))
            reply.head.append(HTTPHeader("RateLimit-Reset", "300"))
            return reply
        }
        let downloader = Downloader(configuration: Configuration(), engine: engine)
        let request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        let slot = downloader.scheduler.submit(priority: 0)
        let client = downloader.client(for: request, slot, Configuration())
        let host = request.source.origin.description
        downloader.scheduler.told(RequestQuota(left: 1, resetSeconds: 300), at: .init(host: host))
        // The last bytes are too few to show that the server sends the file's first ones instead.
        let total = Int64(content.count)
        let plan = SharedPlan(SegmentPlan(total: total, written: ByteRangeSet(0..<total - 10)))
        let part = try PartFile(DownloadPaths(directory.filePath("x")))
        let transfer = SegmentTransfer(
            client: client, writer: PartWriter(part: part, plan: plan),
            identity: RemoteIdentity(length: total), tracker: ProgressTracker())
        content.prefix(600).withUnsafeBytes { transfer.writer.beginning.note($0, at: 0) }
        let segment = try #require(plan.withLock { plan, now in plan.assignFirstFree(now: now) })
        var permit = try await client.permit()
        try await transfer.fetch(segment, &permit)
        #expect(engine.requests.map(\.range) == [.exactly(1..<513)])
        #expect(plan.snapshot.segments.values.isEmpty && plan.snapshot.free == [total - 10..<total])
        permit.release()
        slot.release()
        await downloader.shutdown()
    }
}
