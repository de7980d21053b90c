import Testing

@testable import SegmentedDL
@testable import TestSupport

@Suite("The digest in a hub's redirect")
struct HubProofTests {
    private static let content = Array("the content of a large file".utf8)
    private static let url = "https://hub.example/org/model/resolve/main/a.bin"

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Returns an engine whose hub redirects to a store.
    private func hub(redirectingTo store: String) -> MemoryEngine {
        MemoryEngine { request, _ in
            guard request.url == Self.url else { return .honest(Self.content, request.range) }
            let fields = [
                HTTPHeader("Location", store), HTTPHeader("X-Repo-Commit", "c"),
                HTTPHeader("X-Linked-Size", "\(Self.content.count)"),
                HTTPHeader("X-Linked-Etag", "\"\(Digest.sha256(Self.content))\""),
            ]
            return .init(head: ResponseHead(status: 302, fields: fields))
        }
    }

    private func download(_ engine: MemoryEngine, _ level: ProofPolicy.Level) async throws -> DownloadResult {
        var configuration = Configuration()
        configuration.durability = .process
        configuration.retry.retries = 0
        var request = try DownloadRequest(Self.url, to: .file(directory.filePath("\(level.rawValue).bin")))
        request.proofPolicy = .require(level)
        return try await Downloader(configuration: configuration, engine: engine).download(request)
    }

    @Test("counts as another host's if a store sends the bytes, without a search")
    func ofStore() async throws {
        let engine = hub(redirectingTo: "https://store.example/x")
        let result = try await download(engine, .otherHost)
        #expect(result.proofs.map(\.field) == ["X-Linked-Etag"])
        #expect(result.proofs.map(\.isOfOtherHost) == [true])
        #expect(engine.requests.map(\.url) == [Self.url, "https://store.example/x"])
    }

    @Test("does not count as another host's if the hub sends the bytes")
    func ofHub() async throws {
        let error = await #expect(throws: DownloadError.self) {
            try await download(hub(redirectingTo: "https://hub.example/x"), .otherHost)
        }
        #expect(error?.code == .unproven)
        let engine = hub(redirectingTo: "https://hub.example/x")
        let result = try await download(engine, .digest)
        #expect(result.proofs.map(\.isOfOtherHost) == [false])
        #expect(engine.requests.map(\.url) == [Self.url, "https://hub.example/x"])
    }
}
