import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("A download over an engine in memory")
struct FileDownloadTests {
    private let content = TestContent(seed: 7).bytes(0..<3_000_000)
    private let directory: TestSupport.TemporaryDirectory
    private var configuration = Configuration()

    init() throws {
        directory = try TestSupport.TemporaryDirectory()
        configuration.segments = .fixed(4)
        configuration.minimumSegmentSize = 64 * 1024
        configuration.retry.delay = 0.001
        configuration.durability = .process
    }

    private func download(_ engine: MemoryEngine) async throws -> DownloadResult {
        let downloader = Downloader(configuration: configuration, engine: engine)
        return try await downloader.download(
            DownloadRequest("http://host/file", to: .file(directory.filePath("file"))))
    }

    private func expectExact() throws {
        #expect(directory.names == ["file"])
        #expect(try directory.read("file") == content)
    }

    @Test("asks for everything first, then for exact ranges that together are the file")
    func ranges() async throws {
        let engine = MemoryEngine { [content] request, _ in .honest(content, request.range) }
        _ = try await download(engine)
        try expectExact()
        #expect(engine.requests.first?.range == .from(0))
        let later = engine.requests.dropFirst().compactMap { request -> ByteRange? in
            guard case .exactly(let range) = request.range else { return nil }
            return range
        }
        #expect(later.count == engine.requests.count - 1)
        #expect(later.count >= 3)
    }

    @Test("takes no byte of an answer with a wrong range, and asks again")
    func wrongRange() async throws {
        let engine = MemoryEngine { [content] request, number in
            var reply = MemoryEngine.Reply.honest(content, request.range)
            if (2...4).contains(number) {
                reply.head = ResponseHead(
                    status: 206,
                    fields: [HTTPHeader("Content-Range", "bytes 0-9/3000000"), HTTPHeader("ETag", "\"v1\"")])
                reply.body = Array(repeating: 0, count: 10)
            }
            return reply
        }
        _ = try await download(engine)
        try expectExact()
    }

    @Test("counts the bytes, whatever the engine says of success")
    func shortBodies() async throws {
        let engine = MemoryEngine { [content] request, number in
            var reply = MemoryEngine.Reply.honest(content, request.range)
            if number.isMultiple(of: 2) { reply.body.removeLast(reply.body.count / 2) }
            return reply
        }
        _ = try await download(engine)
        try expectExact()
    }

    @Test("starts over once when the remote file changes, and gives up when it changes again")
    func changes() async throws {
        let other = TestContent(seed: 8).bytes(0..<3_000_000)
        let once = MemoryEngine { [content] request, number in
            number < 3 ? .honest(other, request.range, etag: "\"v0\"") : .honest(content, request.range)
        }
        _ = try await download(once)
        try expectExact()

        let always = MemoryEngine { [content] request, number in
            .honest(content, request.range, etag: "\"v\(number)\"")
        }
        let second = try TestSupport.TemporaryDirectory()
        let downloader = Downloader(configuration: configuration, engine: always)
        let error = await #expect(throws: DownloadError.self) {
            try await downloader.download(
                DownloadRequest("http://host/file", to: .file(second.filePath("file"))))
        }
        #expect(error?.code == .remoteFileChanged)
        #expect(!second.names.contains("file"))
    }

    @Test("gives up after as many failures without progress as it may retry")
    func givesUp() async throws {
        let engine = MemoryEngine { _, _ in throw EngineError(kind: .lost, message: "gone") }
        let error = await #expect(throws: DownloadError.self) { try await download(engine) }
        #expect(error?.code == .connectionFailed)
        #expect(engine.requests.count == configuration.retry.retries + 1)
        #expect(directory.names == [])
    }

    @Test("keeps going for as long as there is progress, however often connections break")
    func progressRestoresTheBudget() async throws {
        let engine = MemoryEngine { [content] request, _ in
            var reply = MemoryEngine.Reply.honest(content, request.range)
            if reply.body.count > 100_000 {
                reply.body = Array(reply.body.prefix(100_000))
                reply.error = EngineError(kind: .lost, message: "reset")
            }
            return reply
        }
        _ = try await download(engine)
        try expectExact()
        #expect(engine.requests.count > 20)
    }

    @Test("sends the caller's headers to the source's origin only")
    func headers() async throws {
        let engine = MemoryEngine { [content] request, _ in
            guard request.url.hasPrefix("http://host/") else { return .honest(content, request.range) }
            let fields = [HTTPHeader("Location", "http://other/file")]
            return MemoryEngine.Reply(head: ResponseHead(status: 302, fields: fields))
        }
        let downloader = Downloader(configuration: configuration, engine: engine)
        var request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        request.headers = [HTTPHeader("X-Secret", "1")]
        _ = try await downloader.download(request)
        try expectExact()
        let told = engine.requests.filter { $0.headers.contains { $0.name == "X-Secret" } }
        #expect(told.map(\.url) == ["http://host/file"])
        #expect(engine.requests.count { $0.url == "http://other/file" } >= 4)
    }
}
