import Testing

@testable import SegmentedDL
@testable import TestSupport

@Suite("A document fetched into memory", .timeLimit(.minutes(10)))
struct DocumentFetchTests {
    private func fetch(_ engine: MemoryEngine, deadline: Duration?) async throws -> DocumentFetch.Document {
        let configuration = Configuration()
        let downloader = Downloader(configuration: configuration, engine: engine)
        let slot = GlobalScheduler(limits: Limits()).submit(priority: 0)
        defer { slot.release() }
        try await slot.waitForStart()
        let client = downloader.client(
            of: try Source("http://host/list"), HostAccess(headers: []), slot, [], configuration)
        return try await DocumentFetch(limit: 100, retry: configuration.retry, deadline: deadline).fetch(
            client)
    }

    @Test("that is never complete is abandoned after the deadline, and not requested again")
    func late() async throws {
        let engine = MemoryEngine { request, _ in
            var reply = MemoryEngine.Reply.honest([1, 2], request.range)
            reply.awaited = 99
            return reply
        }
        let failure = await #expect(throws: TransferFailure.self) {
            try await fetch(engine, deadline: .milliseconds(20))
        }
        guard case .other(let error)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(error.code == .timedOut && error.isRetryable)
        #expect(engine.requests.count == 1)
    }

    @Test("arrives before the deadline", arguments: [nil, Duration.seconds(600)])
    func inTime(deadline: Duration?) async throws {
        let engine = MemoryEngine { request, _ in .honest([1, 2], request.range) }
        #expect(try await fetch(engine, deadline: deadline).bytes == [1, 2])
    }
}
