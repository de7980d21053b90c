import SegmentedDLSupport
import SystemPackage
import TestContent
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import TestSupport

@Suite("A download over an engine in memory")
struct FileDownloadTests {
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

    private func download(_ engine: MemoryEngine) async throws -> DownloadResult {
        let downloader = Downloader(configuration: configuration, engine: engine)
        return try await downloader.download(
            DownloadRequest("http://host/file", to: .file(directory.filePath("file"))))
    }

    private func expectExact() throws {
        #expect(directory.names == ["file"])
        #expect(try directory.read("file") == content)
    }

    @Test("requests everything first, then exact ranges that together cover the file")
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

    @Test("over a distant line requests all shares at once, each with an end, and no byte twice")
    func farAway() async throws {
        let engine = MemoryEngine { [content] request, number in
            var reply = MemoryEngine.Reply.honest(content, request.range)
            reply.distance = ServerDistance(roundTrip: 60, answer: 60)
            reply.awaited = 4
            // A part that is complete before the file's first bytes is requested again for a comparison.
            reply.awaitedBodies = number == 1 ? 0 : 1
            return reply
        }
        _ = try await download(engine)
        try expectExact()
        #expect(engine.requests.first?.range == .from(0))
        let later = engine.requests.dropFirst().compactMap { request -> ByteRange? in
            guard case .exactly(let range) = request.range else { return nil }
            return range
        }
        #expect(later.count == 3 && engine.requests.count == 4)
        let first = try #require(later.map(\.lowerBound).min())
        #expect(ByteRangeSet(later) == ByteRangeSet(first..<3_000_000))
        #expect(later.reduce(0) { $0 + $1.length } == 3_000_000 - first)
    }

    @Test("discards a response with a wrong range, and requests it again")
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
        #expect(engine.requests.count > 2, "no wrong answer was given")
        try expectExact()
    }

    @Test("counts the bytes, whatever the engine reports as success")
    func shortBodies() async throws {
        let engine = MemoryEngine { [content] request, number in
            var reply = MemoryEngine.Reply.honest(content, request.range)
            if number.isMultiple(of: 2) { reply.body.removeLast(reply.body.count / 2) }
            return reply
        }
        _ = try await download(engine)
        #expect(engine.requests.count > 2, "no short body was given")
        try expectExact()
    }

    @Test("starts over once when the remote file changes, and uses a single response if it keeps changing")
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
        let second = try TemporaryDirectory()
        let downloader = Downloader(configuration: configuration, engine: always)
        let result = try await downloader.download(
            DownloadRequest("http://host/file", to: .file(second.filePath("file"))))
        #expect(result.bytesWritten == 3_000_000)
        #expect(try second.read("file") == content)
    }

    @Test("gives up after the maximum number of failures without progress")
    func givesUp() async throws {
        let engine = MemoryEngine { _, _ in throw EngineError(kind: .lost, message: "gone") }
        let error = await #expect(throws: DownloadError.self) { try await download(engine) }
        #expect(error?.code == .connectionFailed)
        #expect(engine.requests.count == configuration.retry.retries + 1)
        #expect(directory.names == [])
    }

    @Test("continues as long as it progresses, however often connections break")
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

    @Test("holds the request that follows a redirect back until the host's quota is renewed")
    func quotaOfRedirects() async throws {
        let until = Lock(0.0)
        let refusals = Lock(0)
        let engine = MemoryEngine { [content] request, _ in
            let quota = HTTPHeader("RateLimit", "\"api\";r=0;t=0.2")
            if request.url == "http://host/file" {
                until.withLock { $0 = Monotonic.now() + 0.2 }
                let fields = [HTTPHeader("Location", "/cache/file"), quota]
                return MemoryEngine.Reply(head: ResponseHead(status: 307, fields: fields))
            }
            if Monotonic.now() < until.withLock({ $0 }) {
                refusals.withLock { $0 += 1 }
                return .init(head: ResponseHead(status: 429))
            }
            return .honest(content, request.range)
        }
        _ = try await download(engine)
        try expectExact()
        #expect(engine.requests.count { $0.url == "http://host/file" } == 1)
        #expect(refusals.withLock { $0 } == 0)
    }

    @Test("sends no request beyond the quota that its host states, not even over open connections")
    func quota() async throws {
        let (quota, span) = (2, 0.2)
        let window = Lock((begun: -1.0, used: 0, refused: 0))
        let engine = MemoryEngine { [content] request, _ in
            let now = Monotonic.now()
            let (isRefused, left, reset) = window.withLock { window in
                if now >= window.begun + span { (window.begun, window.used) = (now, 0) }
                window.used += 1
                if window.used > quota { window.refused += 1 }
                let milliseconds = Int((window.begun + span - now) * 1000) + 1
                return (
                    window.used > quota, max(0, quota - window.used), Double(milliseconds) / 1000
                )
            }
            if isRefused { return .init(head: ResponseHead(status: 429)) }
            var reply = MemoryEngine.Reply.honest(content, request.range)
            reply.head.append(HTTPHeader("RateLimit", "\"api\";r=\(left);t=\(reset)"))
            return reply
        }
        _ = try await download(engine)
        try expectExact()
        #expect(engine.requests.count >= 3)
        #expect(window.withLock { $0.refused } == 0)
    }

    @Test(
        "requests the source again once the target of its redirect is lost or fails",
        arguments: [true, false])
    func lostTarget(isLost: Bool) async throws {
        let engine = MemoryEngine { [content] request, number in
            if request.url == "http://host/file" {
                let target = number < 3 ? "http://first/file" : "http://second/file"
                return .init(head: ResponseHead(status: 302, fields: [HTTPHeader("Location", target)]))
            }
            var reply = MemoryEngine.Reply.honest(content, request.range)
            guard request.url == "http://first/file" else { return reply }
            if number > 2, isLost { throw EngineError(kind: .connect, message: "refused") }
            if number > 2 { return .init(head: ResponseHead(status: 500)) }
            reply.body = Array(reply.body.prefix(100_000))
            reply.error = EngineError(kind: .lost, message: "reset")
            return reply
        }
        _ = try await download(engine)
        try expectExact()
        #expect(engine.requests.contains { $0.url == "http://second/file" })
    }

    @Test("a file without its own limit has that of the configuration")
    mutating func ratePerFile() async throws {
        configuration.ratePerFile = 1 << 40
        let engine = MemoryEngine { [content] request, _ in .honest(content, request.range) }
        _ = try await download(engine)
        #expect(!engine.requests.contains { !$0.isRateLimited })
        configuration.ratePerFile = 0
        #expect(throws: DownloadError.self) { try configuration.validate() }
    }

    @Test(
        "pieces are verified even if the server supports no ranges or states no length",
        arguments: [true, false], [true, false])
    func piecesOfStream(isRight: Bool, hasLength: Bool) async throws {
        let engine = MemoryEngine { [content] _, _ in
            let fields = hasLength ? [HTTPHeader("Content-Length", "\(content.count)")] : []
            return .init(head: ResponseHead(status: 200, fields: fields), body: content)
        }
        var request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        let wrong = isRight ? content : content.dropLast() + [~content[content.count - 1]]
        request.pieces = try PieceHashes(
            length: 1 << 20,
            stride(from: 0, to: content.count, by: 1 << 20).map { start in
                let digest = try Digest(.sha1)
                wrong[start..<min(start + 1 << 20, wrong.count)].withUnsafeBytes { digest.update($0) }
                return digest.finishChecksum()
            })
        let downloader = Downloader(configuration: configuration, engine: engine)
        if isRight {
            _ = try await downloader.download(request)
            try expectExact()
        } else {
            let error = await #expect(throws: DownloadError.self) { try await downloader.download(request) }
            #expect(error?.code == .checksumMismatch)
            #expect(!directory.names.contains("file"))
            request.pieces = nil
            _ = try await downloader.download(request)
            try expectExact()
        }
    }

    @Test("a comparison with the bytes of an earlier run is retried", arguments: [503, 206])
    mutating func comparisonIsRepeated(status: Int) async throws {
        configuration.segments = .fixed(1)
        configuration.retry.retries = 0
        let first = MemoryEngine { [content] request, _ in
            var reply = MemoryEngine.Reply.honest(content, request.range)
            reply.body = Array(reply.body.prefix(1_000_000))
            reply.error = EngineError(kind: .lost, message: "reset")
            return reply
        }
        await #expect(throws: DownloadError.self) { try await download(first) }
        configuration.retry.retries = 3
        let second = MemoryEngine { [content] request, number in
            var reply = MemoryEngine.Reply.honest(content, request.range, etag: "\"v\(number)\"")
            guard number == 2 else { return reply }
            // The first sample: refused, or cut short.
            if status == 503 { return .init(head: ResponseHead(status: 503)) }
            reply.body.removeLast()
            return reply
        }
        let result = try await download(second)
        try expectExact()
        #expect(result.bytesWritten < 2_500_000)
    }
}
