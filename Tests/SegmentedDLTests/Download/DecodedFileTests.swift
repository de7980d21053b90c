import SystemPackage
import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

/// The engine in memory delivers bodies like libcurl: decoded, with a head that describes the encoded bytes.
@Suite("A file that the server encodes, and that is stored decoded")
struct DecodedFileTests {
    private static let date = "Fri, 01 Mar 2024 12:34:56 GMT"
    private let content = TestContent(seed: 7).bytes(0..<3_000_000)
    private let directory: TemporaryDirectory
    private var configuration = Configuration()

    init() throws {
        directory = try TemporaryDirectory()
        configuration.segments = .fixed(4)
        configuration.minimumSegmentSize = 64 * 1024
        configuration.retry.delay = .milliseconds(1)
        configuration.durability = .process
    }

    private func download(
        _ engine: MemoryEngine, _ url: String = "http://host/file", longest: Int64? = nil,
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> DownloadResult {
        var request = try DownloadRequest(url, to: .file(directory.filePath("file")))
        request.ifEncoded = .decode
        request.maximumLength = longest
        change(&request)
        return try await Downloader(configuration: configuration, engine: engine).download(request)
    }

    private func encoded(
        _ body: some Sequence<UInt8>, _ coding: String = "gzip", _ fields: [HTTPHeader] = []
    ) -> MemoryEngine.Reply {
        let head = [
            HTTPHeader("Content-Encoding", coding), HTTPHeader("Content-Length", "1000"),
            HTTPHeader("ETag", "\"v1-gzip\""), HTTPHeader("Last-Modified", Self.date),
        ]
        return .init(head: ResponseHead(status: 200, fields: head + fields), body: Array(body))
    }

    private func server(_ fields: [HTTPHeader] = []) -> MemoryEngine {
        MemoryEngine { [content] request, _ in
            if request.headers.contains(where: { $0.name == "If-None-Match" }) {
                return .init(head: ResponseHead(status: 304))
            }
            return encoded(content, "gzip", fields)
        }
    }

    @Test("is requested with libcurl's codings and without a range, over one connection")
    func whole() async throws {
        let engine = server()
        let result = try await download(engine)
        #expect(try directory.read("file") == content)
        #expect(directory.names == ["file"])
        #expect(result.length == 3_000_000 && result.isEndProven)
        #expect(engine.requests.map(\.range) == [.none])
        #expect(engine.requests.allSatisfy { $0.decodes })
        #expect(!engine.requests.contains { $0.headers.contains { $0.name == "Accept-Encoding" } })
    }

    @Test("starts over after each lost connection, and when the bytes cannot be decoded")
    func lost() async throws {
        let kinds = [EngineError.Kind.lost, .badResponse, .truncated]
        let engine = MemoryEngine { [content] _, number in
            guard number <= kinds.count else { return encoded(content) }
            var reply = encoded(content.prefix(1_000_000).map { ~$0 })
            reply.error = EngineError(kind: kinds[number - 1], message: "ended early")
            return reply
        }
        _ = try await download(engine)
        #expect(try directory.read("file") == content)
        #expect(engine.requests.map(\.range) == [.none, .none, .none, .none])
    }

    @Test("leaves nothing if it fails, and the next run begins at the first byte")
    func failed() async throws {
        let engine = MemoryEngine { [content] _, _ in
            var reply = encoded(content.prefix(1_000_000))
            reply.error = EngineError(kind: .setting, message: "a setting is wrong")
            return reply
        }
        await #expect(throws: DownloadError.self) { try await download(engine) }
        #expect(directory.names == [])
        let next = server()
        _ = try await download(next)
        #expect(try directory.read("file") == content)
        #expect(next.requests.map(\.range) == [.none])
    }

    @Test("ignores the server's digests of encoded bytes, but not the caller's")
    func digests() async throws {
        let wrong = Checksum(.sha256, digest: [UInt8](repeating: 0, count: 32))
        let field = HTTPHeader("Repr-Digest", "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:")
        _ = try await download(server([field]))
        #expect(try directory.read("file") == content)
        try directory.remove("file")
        let error = await #expect(throws: DownloadError.self) {
            try await download(server()) { $0.checksums = [wrong] }
        }
        #expect(error?.code == .checksumMismatch)
    }

    @Test("may be as long as the limit, and not one byte longer")
    func limited() async throws {
        _ = try await download(server(), longest: 3_000_000)
        #expect(try directory.read("file") == content)
        try directory.remove("file")
        let engine = server()
        let error = await #expect(throws: DownloadError.self) {
            try await download(engine, longest: 2_999_999)
        }
        #expect(error?.code == .lengthMismatch && error?.isRetryable == false)
        #expect(directory.names == [])
        #expect(engine.requests.count == 1)
    }

    @Test("counts as complete when it is downloaded again")
    func again() async throws {
        _ = try await download(server())
        let engine = server()
        #expect(try await download(engine).outcome == .unchanged)
        let sent = engine.requests.compactMap { $0.headers.first { $0.name == "If-None-Match" }?.value }
        #expect(sent == ["W/\"v1-gzip\""])
    }

    @Test("plain content arrives with its length, also over one connection")
    func plain() async throws {
        let engine = MemoryEngine { [content] request, _ in .honest(content, request.range) }
        _ = try await download(engine)
        #expect(try directory.read("file") == content)
        #expect(engine.requests.map(\.range) == [.none])
    }

    @Test("a file with a compressed suffix is requested without decoding")
    func compressed() async throws {
        let engine = MemoryEngine { [content] request, _ in
            var reply = MemoryEngine.Reply.honest(content, request.range)
            reply.head.append(HTTPHeader("Content-Encoding", "gzip"))
            return reply
        }
        _ = try await download(engine, "http://host/file.tar.gz")
        #expect(try directory.read("file") == content)
        #expect(!engine.requests.contains { $0.decodes })
        #expect(engine.requests.allSatisfy { $0.headers.contains(HTTPHeader("Accept-Encoding", "identity")) })
    }

    @Test("a coding that libcurl cannot decode is an error")
    func unknown() async throws {
        let engine = MemoryEngine { [content] _, _ in encoded(content, "compress") }
        let error = await #expect(throws: DownloadError.self) { try await download(engine) }
        #expect(error?.code == .encodedContent)
        #expect(directory.names == [] && engine.requests.count == 1)
    }
}
