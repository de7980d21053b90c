import SegmentedDLSupport
import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

@Suite("A download whose Authorization field is refused")
struct FieldRenewalTests {
    private let content = TestContent(seed: 8).bytes(0..<3000)
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Downloads a file from a server that accepts a value of the Authorization field from `first` on. Each
    /// call of the closure returns the next number.
    ///
    /// - Parameter before: Returns the response to a request whose value is not checked; `nil` to check it.
    private func download(
        first: Int, before: @escaping @Sendable (MemoryEngine.Request) -> ResponseHead? = { _ in nil }
    ) async throws -> (fields: [String?], isDone: Bool) {
        let engine = MemoryEngine { [content] request, _ in
            let field = request.headers.first { $0.name == "Authorization" }?.value
            if field != nil, let head = before(request) { return MemoryEngine.Reply(head: head) }
            if let field, let number = Int(field), number >= first {
                return .honest(content, request.range)
            }
            let challenge = HTTPHeader("WWW-Authenticate", "Bearer realm=\"r\"")
            return MemoryEngine.Reply(head: ResponseHead(status: 401, fields: [challenge]))
        }
        var configuration = Configuration()
        configuration.durability = .process
        let downloader = Downloader(configuration: configuration, engine: engine)
        let calls = Lock(0)
        var request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        request.credentials = .authorization(
            from: AuthorizationSource { _ in
                calls.withLock { calls in
                    calls += 1
                    return "\(calls)"
                }
            })
        let result = try? await downloader.download(request)
        let fields = engine.requests.map { $0.headers.first { $0.name == "Authorization" }?.value }
        return (fields, result != nil)
    }

    @Test("continues with the third value if others have used up two")
    func third() async throws {
        let (fields, isDone) = try await download(first: 3)
        #expect(isDone && fields.prefix(4) == [nil, "1", "2", "3"])
        #expect(try directory.read("file") == content)
    }

    @Test("fails after a few values if none is accepted, and repeats none")
    func everyValue() async throws {
        let (fields, isDone) = try await download(first: .max)
        #expect(!isDone && fields == [nil, "1", "2", "3", "4"])
    }

    @Test("fails after a few values that a redirect to the same server does not prove")
    func redirected() async throws {
        let (fields, isDone) = try await download(first: .max) { request in
            guard request.url.hasSuffix("/file") else { return nil }
            return ResponseHead(status: 302, fields: [HTTPHeader("Location", "/other")])
        }
        #expect(!isDone && fields.prefix(6) == [nil, "1", "1", "2", "3", "4"] && !fields.contains("5"))
    }
}
