import SegmentedDLSupport
import SystemPackage
import TestContent
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import TestSupport

@Suite("A download for a mirror")
struct RevalidationTests {
    private static let date = "Fri, 01 Mar 2024 12:34:56 GMT"
    private let content = TestContent(seed: 7).bytes(0..<1_000_000)
    private let directory: TemporaryDirectory
    private let seen = Seen()

    private final class Seen: Sendable {
        let copies = Lock<[CompleteCopy]>([])
    }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func download(
        _ engine: MemoryEngine, _ condition: Condition?, minimum: Int64 = 64 * 1024, onlyAsks: Bool = false
    ) async throws -> DownloadResult {
        var configuration = Configuration()
        configuration.segments = .fixed(4)
        configuration.minimumSegmentSize = minimum
        configuration.retry.retries = 0
        configuration.durability = .process
        var request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        request.ifExists = .replace
        let (path, seen) = (directory.filePath("file"), seen)
        let before = FileIdentity.ofFile(at: path)
        let journal = TestJournal {
            // The file does not have its name yet.
            guard FileIdentity.ofFile(at: path) == before else { throw CancellationError() }
        }
        var task = DownloadTask(request)
        task.revalidatedCopy = condition.map { RevalidatedCopy(condition: $0, length: 4) }
        task.isCheckOnly = onlyAsks
        task.hooks.record = { copy in
            seen.copies.withLock { $0.append(copy) }
            return journal
        }
        let downloader = Downloader(configuration: configuration, engine: engine)
        return try await downloader.start(task).result
    }

    private func server(_ answer: @escaping @Sendable (MemoryEngine.Request) -> Int?) -> MemoryEngine {
        MemoryEngine { [content] request, _ in
            if let status = answer(request) { return .init(head: ResponseHead(status: status)) }
            var reply = MemoryEngine.Reply.honest(content, request.range)
            reply.head.append(HTTPHeader("Last-Modified", Self.date))
            return reply
        }
    }

    private func conditions(_ engine: MemoryEngine) -> [String?] {
        engine.requests.map { request in
            request.headers.first { $0.name.hasPrefix("If-") }.map { "\($0.name): \($0.value)" }
        }
    }

    @Test("304 is the whole exchange, and leaves everything unchanged")
    func unchanged() async throws {
        try directory.write("copy", to: "file")
        for condition in [Condition.etag("\"v0\""), .lastModified(Self.date)] {
            let engine = server { _ in 304 }
            let result = try await download(engine, condition)
            #expect(result.outcome == .unchanged && result.length == 4 && result.bytesReceived == 0)
            #expect(engine.requests.count == 1)
            #expect(conditions(engine) == ["\(condition.header.name): \(condition.header.value)"])
        }
        #expect(directory.names == ["file"])
        #expect(try directory.read("file") == Array("copy".utf8))
        #expect(seen.copies.withLock { $0.isEmpty })
    }

    @Test(
        "a change is fetched at once, and only the first request has the condition",
        arguments: [1, 2_000_000])
    func changed(minimum: Int64) async throws {
        try directory.write("copy", to: "file")
        let engine = server { _ in nil }
        let result = try await download(engine, .etag("\"v0\""), minimum: minimum)
        #expect(result.outcome == .downloaded && result.verified.isEmpty)
        #expect(try directory.read("file") == content)
        #expect(conditions(engine).first == "If-None-Match: \"v0\"")
        #expect(conditions(engine).dropFirst().allSatisfy { $0 == nil })
        let copy = try #require(seen.copies.withLock { $0.first })
        #expect(copy.digests.map(\.hexadecimal) == [Digest.sha256(content)])
        #expect(copy.validators == Validators(etag: "\"v1\"", lastModified: Self.date))
        #expect(copy.identity.isAt(directory.filePath("file")))
        #expect(copy.identity.modified == 1_709_296_496_000_000_000)
    }

    @Test("a server that ignores the condition shows by validator and length that nothing changed")
    func ignoredCondition() async throws {
        try directory.write("copy", to: "file")
        let engine = MemoryEngine { request, _ in
            var reply = MemoryEngine.Reply.honest(Array("file".utf8), request.range)
            reply.head.append(HTTPHeader("Last-Modified", Self.date))
            return reply
        }
        let kept = try await download(engine, .lastModified(Self.date))
        #expect(kept.outcome == .unchanged && kept.length == 4 && engine.requests.count == 1)
        #expect(try directory.read("file") == Array("copy".utf8))
        // Another date means another file.
        let fetched = try await download(engine, .lastModified("Fri, 01 Mar 2024 12:34:55 GMT"))
        #expect(fetched.outcome == .downloaded)
        #expect(try directory.read("file") == Array("file".utf8))
    }

    @Test("a mere check fetches nothing")
    func asks() async throws {
        #expect(try await download(server { _ in nil }, .etag("x"), onlyAsks: true).outcome == .skipped)
        #expect(try await download(server { _ in 304 }, .etag("x"), onlyAsks: true).outcome == .unchanged)
        #expect(directory.names.isEmpty)
    }

    @Test("a 304 to a plain request is an error")
    func unasked() async throws {
        let error = await #expect(throws: DownloadError.self) { try await download(server { _ in 304 }, nil) }
        #expect(error?.code == .httpStatus && error?.status == 304)
        #expect(directory.names.isEmpty)
    }

    @Test("a file that cannot be recorded is not published", arguments: [1, 2_000_000])
    func notRecorded(minimum: Int64) async throws {
        var configuration = Configuration()
        configuration.minimumSegmentSize = minimum
        configuration.durability = .process
        let request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        let journal = TestJournal { throw DownloadError(.diskFull, "no room") }
        var task = DownloadTask(request)
        task.hooks.record = { _ in journal }
        let handle = Downloader(configuration: configuration, engine: server { _ in nil }).start(task)
        let error = await #expect(throws: DownloadError.self) { try await handle.result }
        #expect(error?.code == .diskFull)
        #expect(!directory.names.contains("file"))
    }
}

private final class TestJournal: CompletionJournal {
    private let body: @Sendable () throws -> Void

    init(_ body: @escaping @Sendable () throws -> Void) {
        self.body = body
    }

    func commit() throws { try body() }
}
