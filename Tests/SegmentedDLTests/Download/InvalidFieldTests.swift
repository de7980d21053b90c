import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

/// Values of callers, closures and files that enter the head of a request.
@Suite("The head of a request")
struct InvalidFieldTests {
    private struct Refusal: Error {}

    private let content = TestContent(seed: 8).bytes(0..<3000)
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Downloads a file from a server that requires an Authorization field.
    private func failure(
        _ change: (inout DownloadRequest) throws -> Void
    ) async throws -> (error: DownloadError?, engine: MemoryEngine) {
        let engine = MemoryEngine { [content] request, _ in
            guard request.headers.contains(where: { $0.name == "Authorization" }) else {
                let challenge = HTTPHeader("WWW-Authenticate", "Bearer realm=\"r\"")
                return MemoryEngine.Reply(head: ResponseHead(status: 401, fields: [challenge]))
            }
            return .honest(content, request.range)
        }
        var configuration = Configuration()
        configuration.durability = .process
        let downloader = Downloader(configuration: configuration, engine: engine)
        var request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        try change(&request)
        let error = await #expect(throws: DownloadError.self) { try await downloader.download(request) }
        return (error, engine)
    }

    private func values(of engine: MemoryEngine) -> [String] {
        engine.requests.flatMap { $0.headers.map(\.value) }
    }

    @Test("contains no value of an AuthorizationSource with a line break")
    func authorization() async throws {
        let (error, engine) = try await failure {
            let source = AuthorizationSource { _ in "Bearer x\r\nX-Evil: y" }
            $0.credentials = .authorization(from: source)
        }
        #expect(error?.code == .invalidSetting)
        #expect(error?.message.contains("AuthorizationSource") == true)
        #expect(!values(of: engine).contains { $0.contains("Evil") })
    }

    @Test("contains no user name with a line break, which digest authentication would send")
    func user() async throws {
        let (error, engine) = try await failure {
            $0.credentials = Credentials(user: "u\r\nX-Evil: y", password: "p")
        }
        #expect(error?.code == .invalidSetting && error?.recoverySuggestion != nil)
        #expect(engine.requests.isEmpty)
    }

    @Test("of a call to a daemon contains no secret with a line break")
    func call() async throws {
        let field = HTTPHeader("Authorization", "Bearer s\r\nX-Evil: y")
        let call = HTTPCall(url: "http://127.0.0.1:1/", headers: [field])
        let error = await #expect(throws: DownloadError.self) { try await call.send(Transport()) }
        #expect(error?.code == .invalidSetting)
    }

    @Test("is not sent if a closure for its credentials throws, and the error is named")
    func closures() async throws {
        let (first, _) = try await failure {
            $0.credentials = .authorization(from: AuthorizationSource { _ in throw Refusal() })
        }
        #expect(first?.code == .closureFailed && first?.cause is Refusal)
        let (second, engine) = try await failure {
            $0.credentials = try .awsSigV4(keys: AWSKeySource { throw Refusal() })
        }
        #expect(second?.code == .closureFailed && second?.cause is Refusal)
        #expect(engine.requests.isEmpty)
        let (third, _) = try await failure {
            $0.credentials = .authorization(
                from: AuthorizationSource { _ in throw DownloadError(.permissionDenied, "No.") })
        }
        #expect(third?.code == .permissionDenied)
    }
}
