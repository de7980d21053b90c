import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

/// The header fields that the settings of a download add to its requests.
@Suite("The header fields of the settings")
struct SentFieldsTests {
    private let content = TestContent(seed: 7).bytes(0..<3000)
    private let directory: TemporaryDirectory
    private var configuration = Configuration()

    init() throws {
        directory = try TemporaryDirectory()
        configuration.durability = .process
    }

    /// Downloads a file, and returns the values of a field in the last request.
    ///
    /// - Parameter own: The fields of the download.
    private func sent(
        _ name: String, own: [HTTPHeader] = [], by engine: MemoryEngine? = nil
    ) async throws -> [String] {
        let engine = engine ?? MemoryEngine { [content] request, _ in .honest(content, request.range) }
        let downloader = Downloader(configuration: configuration, engine: engine)
        var request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        request.headers = own
        request.ifExists = .replace
        _ = try await downloader.download(request)
        return engine.requests.last?.headers.filter { $0.name == name }.map(\.value) ?? []
    }

    @Test("contain the referer of the settings, which a header of the download replaces")
    mutating func referer() async throws {
        #expect(try await sent("Referer") == [])
        configuration.transport.referer = "http://r/"
        #expect(try await sent("Referer") == ["http://r/"])
        #expect(try await sent("Referer", own: [HTTPHeader("Referer", "http://own/")]) == ["http://own/"])
        configuration.transport.referer = "*"
        #expect(try await sent("Referer") == ["http://host/file"])
    }

    @Test("include the cookies of redirects, unless they are turned off", arguments: [true, false])
    mutating func redirectCookies(areSent: Bool) async throws {
        configuration.transport.sendsRedirectCookies = areSent
        let engine = MemoryEngine { [content] request, _ in
            guard request.url == "http://host/file" else { return .honest(content, request.range) }
            let fields = [HTTPHeader("Location", "/file2"), HTTPHeader("Set-Cookie", "a=1")]
            return MemoryEngine.Reply(head: ResponseHead(status: 302, fields: fields))
        }
        #expect(try await sent("Cookie", by: engine) == (areSent ? ["a=1"] : []))
    }
}
