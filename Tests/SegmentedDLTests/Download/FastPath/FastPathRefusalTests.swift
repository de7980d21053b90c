import SegmentedDLSupport
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

/// Refusals that the fast path receives without a complete body, so that an ordinary request must follow.
@Suite("The fast path sends no more requests to a host")
struct FastPathRefusalTests {
    private let directory: TemporaryDirectory
    private let host: String
    private let downloader: Downloader
    private let path: FastPath

    init() throws {
        directory = try TemporaryDirectory()
        downloader = try Downloader(Configuration())
        path = try #require(downloader.makeFastPath())
        host = try Source("http://a.example/f").origin.description
    }

    private func add(_ count: Int) async throws -> FastPathBatch {
        let entries = try (0..<count).map { number in
            let request = try DownloadRequest(
                "http://a.example/f\(number)", to: .directory(directory.filePath("")))
            return FastPath.Entry(id: number, task: DownloadTask(request))
        }
        return await path.add(entries)
    }

    /// The number of the next request; `nil` if none is sent.
    private func next() -> Int? {
        guard case .send(let request) = path.next(host, endsIdle: false, isBehind: false) else {
            return nil
        }
        return request.id
    }

    /// Returns the numbers of the files that have left.
    private func left(_ count: Int, of batch: FastPathBatch) async -> Set<Int> {
        var left: Set<Int> = []
        while left.count < count, case .left(let entries)? = await batch.next() {
            left.formUnion(entries.map(\.id))
        }
        return left
    }

    private func refusal(_ status: Int, _ fields: [HTTPHeader] = []) -> ResponseHead {
        ResponseHead(status: status, fields: fields + [HTTPHeader("Transfer-Encoding", "chunked")])
    }

    @Test(
        "that refuses one because of a limit, whatever follows the head",
        arguments: [(429, "7", ""), (503, "7", ""), (403, "7", ""), (403, nil, "API rate limit exceeded")]
            as [(Int, String?, String)])
    func limited(status: Int, retryAfter: String?, text: String) async throws {
        let batch = try await add(3)
        let id = try #require(next())
        let head = refusal(status, retryAfter.map { [HTTPHeader("Retry-After", $0)] } ?? [])
        let answer = FastPathAnswer.otherwise(head, refusalText: Array(text.utf8), wasAlone: true)
        let wait = retryAfter.flatMap { Double($0) }
        #expect(path.answered(id, answer, from: host) == .busy(status: status, retryAfter: wait))
        #expect(next() == nil)
        #expect(await left(3, of: batch) == [0, 1, 2])
        await downloader.shutdown()
    }

    @Test("unless it refuses only the file")
    func others() async throws {
        let batch = try await add(3)
        let id = try #require(next())
        let answer = FastPathAnswer.otherwise(refusal(403), wasAlone: true)
        #expect(path.answered(id, answer, from: host) == nil)
        #expect(next() == 1)
        #expect(await left(1, of: batch) == [0])
        await downloader.shutdown()
    }

    @Test("whose limit the ordinary download of a file that left has met")
    func found() async throws {
        let batch = try await add(4)
        let id = try #require(next())
        _ = path.answered(id, .otherwise(refusal(403), wasAlone: true), from: host)
        #expect(next() == 1)
        let slot = downloader.scheduler.submit(priority: 0)
        let permit = try await slot.connect(to: host)
        permit.report(.busy(status: 403, retryAfter: 60))
        #expect(next() == nil)
        // The second file's request is still unanswered.
        #expect(await left(3, of: batch) == [0, 2, 3])
        permit.release()
        slot.release()
        await downloader.shutdown()
    }
}
