import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

/// The length and the types that a request expects of a file that already exists.
@Suite("The expected length and types of an existing file")
struct ExpectedFileTests {
    private let content = TestContent(seed: 9).bytes(0..<10)
    private let directory: TemporaryDirectory
    private let engine: MemoryEngine

    init() throws {
        directory = try TemporaryDirectory()
        engine = MemoryEngine { [content] request, _ in
            let tag = request.headers.first { $0.name == "If-None-Match" }?.value
            if tag == "\"v1\"" {
                return .init(head: ResponseHead(status: 304, fields: [HTTPHeader("ETag", "\"v1\"")]))
            }
            var reply = MemoryEngine.Reply.honest(content, request.range)
            reply.head.append(HTTPHeader("Content-Type", "application/gzip"))
            reply.head.append(HTTPHeader("Last-Modified", "Fri, 01 Mar 2024 12:34:56 GMT"))
            return reply
        }
    }

    private func download(_ change: (inout DownloadRequest) -> Void = { _ in }) async throws -> DownloadResult
    {
        var configuration = Configuration()
        configuration.durability = .process
        var request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        change(&request)
        return try await Downloader(configuration: configuration, engine: engine).download(request)
    }

    private static let policies: [ExistingFilePolicy] = [.fail, .skip, .update, .replace, .rename]

    @Test("are met by a copy of the file", arguments: policies)
    func met(policy: ExistingFilePolicy) async throws {
        _ = try await download()
        let result = try await download {
            $0.ifExists = policy
            $0.expectedLength = 10
            $0.expectedTypes = ["application/gzip"]
        }
        #expect(result.outcome == .unchanged && result.length == 10)
        #expect(directory.names == ["file"])
    }

    @Test("fail the download if they differ, and leave the file unchanged", arguments: policies)
    func different(policy: ExistingFilePolicy) async throws {
        _ = try await download()
        let length = await #expect(throws: DownloadError.self) {
            try await download {
                $0.ifExists = policy
                $0.expectedLength = 11
            }
        }
        #expect(length?.code == .lengthMismatch && length?.recoverySuggestion != nil)
        let type = await #expect(throws: DownloadError.self) {
            try await download {
                $0.ifExists = policy
                $0.expectedTypes = ["image/*"]
            }
        }
        #expect(type?.code == .unexpectedType)
        #expect(try directory.names == ["file"] && directory.read("file") == content)
    }

    @Test("are compared even if the file is kept without a request")
    func keptUnasked() async throws {
        _ = try await download()
        let error = await #expect(throws: DownloadError.self) {
            try await download {
                $0.ifExists = .skip
                $0.startsOver = true
                $0.expectedLength = 11
            }
        }
        #expect(error?.code == .lengthMismatch && engine.requests.count == 1)
    }
}
