import SegmentedDLSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import TestSupport

@Suite("Listings of several directories", .timeLimit(.minutes(10)))
struct IndexPagerTests {
    /// Responds to requests for directories only once a given number of them are pending.
    private final class Gathering: TransferEngine {
        private let engine: MemoryEngine
        private let most: Int
        private let waiting = Lock<[CheckedContinuation<Void, Never>]>([])

        init(_ engine: MemoryEngine, most: Int) {
            self.engine = engine
            self.most = most
        }

        func open(_ request: TransferRequest) async throws -> any OpenTransfer {
            if request.url != "http://host/" {
                await withCheckedContinuation { continuation in
                    let gathered = waiting.withLock { waiting in
                        waiting.append(continuation)
                        guard waiting.count == most else { return [CheckedContinuation<Void, Never>]() }
                        defer { waiting = [] }
                        return waiting
                    }
                    for continuation in gathered { continuation.resume() }
                }
            }
            return try await engine.open(request)
        }

        func ask(_ batch: ConditionalRequests, for seconds: Double) async throws -> ConditionalAnswers {
            try await engine.ask(batch, for: seconds)
        }

        func drain() async {}
    }

    @Test(
        "are fetched up to four at a time, and their entries are in order of directories, whatever fails",
        arguments: [1, 2, 4, 8])
    func several(atATime: Int) async throws {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"]
        let memory = MemoryEngine { request, _ in
            let path = request.url.dropFirst("http://host/".count)
            if path == "c/" { return .init(head: ResponseHead(status: 404)) }
            let page =
                path.isEmpty ? MirroredSite.page(names.map { "\($0)/" }) : MirroredSite.page("1", "2", "3")
            var reply = MemoryEngine.Reply.honest(Array(page.utf8), request.range)
            reply.head.append(HTTPHeader("Content-Type", "text/html"))
            return reply
        }
        var configuration = Configuration()
        configuration.limits.activeFiles = .fixed(2 * atATime)
        let downloader = Downloader(
            configuration: configuration, engine: Gathering(memory, most: min(atATime, 4)))
        var (places, failures): ([String], [String]) = ([], [])
        for try await entry in downloader.entries(of: .index(try Source("http://host/"))) {
            switch entry {
            case .item(let item): places.append(item.path.text)
            case .unusable(let entry): failures.append(entry.place)
            }
        }
        #expect(failures == ["http://host/c/"])
        #expect(
            places.sorted() == names.filter { $0 != "c" }.flatMap { name in (1...3).map { "\(name)/\($0)" } })
        let directories = places.map { $0.prefix(1) }
        #expect(zip(directories, directories.dropFirst()).filter { $0 != $1 }.count == 6)
    }
}
