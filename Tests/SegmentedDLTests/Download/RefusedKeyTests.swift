import SegmentedDLSupport
import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

/// Stores that refuse an access key although its stated expiration has not passed.
@Suite("A key that a store refuses before it expires")
struct RefusedKeyTests {
    private let content = TestContent(seed: 9).bytes(0..<3_000_000)
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Downloads an object in several segments from a store that refuses requests.
    ///
    /// - Parameter refuses: Returns the status and code of a refusal, for the number of the key.
    private func download(
        keys: AWSKeySource, refuses: @escaping @Sendable (String, _ number: Int) -> (Int, String)?
    ) async throws -> (result: Result<DownloadResult, any Error>, used: [String]) {
        let engine = MemoryEngine { [content] request, number in
            let key = request.credentials?.user ?? "none"
            if let (status, code) = refuses(key, number) {
                return Self.refusal(status, code)
            }
            return .honest(content, request.range)
        }
        var configuration = Configuration()
        configuration.durability = .process
        configuration.segments = .fixed(4)
        configuration.minimumSegmentSize = 64 * 1024
        let downloader = Downloader(configuration: configuration, engine: engine)
        var request = try DownloadRequest("http://store/bucket/key", to: .file(directory.filePath("file")))
        request.credentials = try .awsSigV4(keys: keys)
        let result: Result<DownloadResult, any Error>
        do {
            result = .success(try await downloader.download(request))
        } catch {
            result = .failure(error)
        }
        return (result, engine.requests.map { $0.credentials?.user ?? "none" })
    }

    private static func refusal(_ status: Int, _ code: String) -> MemoryEngine.Reply {
        let text = "<Error><Code>\(code)</Code><Message>The token is refused.</Message></Error>"
        let fields = [
            HTTPHeader("Content-Type", "application/xml"), HTTPHeader("Content-Length", "\(text.utf8.count)"),
        ]
        return MemoryEngine.Reply(head: ResponseHead(status: status, fields: fields), body: Array(text.utf8))
    }

    /// Returns the keys 1, 2 and so on, or always the same one, with a distant expiration.
    private func source(isFixed: Bool = false) -> (AWSKeySource, Lock<Int>) {
        let count = Lock(0)
        let source = AWSKeySource {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return AWSKeys(
                accessKeyID: isFixed ? "1" : "\(number)", secretAccessKey: "s", sessionToken: "t",
                expiration: .max)
        }
        return (source, count)
    }

    @Test(
        "is fetched again, and the request is signed with the new one",
        arguments: [(400, "ExpiredToken"), (400, "TokenRefreshRequired"), (403, "InvalidAccessKeyId")])
    func again(status: Int, code: String) async throws {
        let (keys, count) = source()
        let (result, used) = try await download(keys: keys) { key, number in
            // The first segment is answered before the key expires.
            key == "1" && number > 1 ? (status, code) : nil
        }
        #expect(try result.get().length == Int64(content.count))
        #expect(try directory.read("file") == content)
        #expect(count.withLock { $0 } == 2)
        #expect(used.first == "1" && used.contains("2") && !used.contains("3"))
    }

    @Test("is fetched again only once for a request, and the failure names the source")
    func bounded() async throws {
        let (keys, count) = source()
        let (result, used) = try await download(keys: keys) { _, _ in (400, "ExpiredToken") }
        let error = #expect(throws: DownloadError.self) { try result.get() }
        #expect(error?.status == 400 && error?.message.contains("session token has expired") == true)
        #expect(error?.message.contains("source of the access key") == true)
        #expect(used == ["1", "2"] && count.withLock { $0 } == 2)
    }

    @Test("is not sent again if its source supplies it again")
    func same() async throws {
        let (keys, count) = source(isFixed: true)
        let (result, used) = try await download(keys: keys) { _, _ in (400, "InvalidToken") }
        let error = #expect(throws: DownloadError.self) { try result.get() }
        #expect(error?.message.contains("session token is not valid") == true)
        #expect(used == ["1"] && count.withLock { $0 } == 2)
    }

    @Test("is not fetched again for another reason")
    func denied() async throws {
        let (keys, count) = source()
        let (result, used) = try await download(keys: keys) { _, _ in (403, "AccessDenied") }
        #expect(throws: DownloadError.self) { try result.get() }
        #expect(used == ["1"] && count.withLock { $0 } == 1)
    }
}
