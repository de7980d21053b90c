import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("Groups of questions about copies", .timeLimit(.minutes(10)))
struct CopyQuestionsTests {
    /// Answers groups of questions only once a given number of them are pending.
    private final class Gathering: TransferEngine {
        private let most: Int
        private let waiting = Lock<[CheckedContinuation<Void, Never>]>([])

        init(most: Int) {
            self.most = most
        }

        func open(_ request: TransferRequest) async throws -> any OpenTransfer { throw CancellationError() }

        func ask(_ batch: ConditionalRequests, for seconds: Double) async throws -> ConditionalAnswers {
            await withCheckedContinuation { continuation in
                let gathered = waiting.withLock { waiting in
                    waiting.append(continuation)
                    guard waiting.count == most else { return [CheckedContinuation<Void, Never>]() }
                    defer { waiting = [] }
                    return waiting
                }
                for continuation in gathered { continuation.resume() }
            }
            return ConditionalAnswers(
                answers: batch.requests.map { _ in batch.isProven ? .unchanged : .other })
        }

        func drain() async {}
    }

    @Test("use all connections that the host accepts, although no more than four files begin at first")
    func concurrent() async throws {
        let configuration = Configuration()
        let groups = configuration.limits.connectionsPerHost
        try #require(groups > FileWindow.smallest)
        let downloader = Downloader(configuration: configuration, engine: Gathering(most: groups))
        let source = try Source("http://host/a")
        let request = DownloadRequest(source, to: .directory("."))
        let question = try #require(ConditionalRequests.Request(source, if: .etag("\"a\"")))
        try await withThrowingTaskGroup(of: ConditionalAnswers.self) { group in
            for _ in 0..<groups {
                group.addTask { try await downloader.ask(about: [question], like: request, isProven: true) }
            }
            for try await said in group { #expect(said.answers == [.unchanged]) }
        }
    }
}
