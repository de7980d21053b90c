import TestContent
import Testing

@testable import SegmentedDL
@testable import TestSupport

/// The header fields that the settings of a download add to its requests.
@Suite("The header fields of the settings")
struct SentFieldsTests {
    private let content = TestContent(seed: 7).bytes(0..<3000)
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Downloads a file, and returns the values of a field in the last request.
    ///
    /// - Parameter own: The fields of the download.
    private func sent(
        _ name: String, own: [HTTPHeader] = [], by engine: MemoryEngine? = nil,
        _ change: (inout Transport) -> Void = { _ in }
    ) async throws -> [String] {
        var configuration = Configuration()
        configuration.durability = .process
        change(&configuration.transport)
        let engine = engine ?? MemoryEngine { [content] request, _ in .honest(content, request.range) }
        let downloader = Downloader(configuration: configuration, engine: engine)
        var request = try DownloadRequest("http://host/file", to: .file(directory.filePath("file")))
        request.headers = own
        request.ifExists = .replace
        request.startsOver = true
        _ = try await downloader.download(request)
        return engine.requests.last?.headers.filter { $0.name == name }.map(\.value) ?? []
    }

    @Test("contain the referer of the settings, which a header of the download replaces")
    func referer() async throws {
        let own = [HTTPHeader("Referer", "http://own/")]
        let none = try await sent("Referer")
        let usual = try await sent("Referer") { $0.referer = "http://r/" }
        let replaced = try await sent("Referer", own: own) { $0.referer = "http://r/" }
        let itself = try await sent("Referer") { $0.referer = "*" }
        #expect(none.isEmpty && usual == ["http://r/"] && replaced == ["http://own/"])
        #expect(itself == ["http://host/file"])
    }

    @Test("include the cookies of redirects, unless they are turned off", arguments: [true, false])
    func redirectCookies(areSent: Bool) async throws {
        let engine = MemoryEngine { [content] request, _ in
            guard request.url == "http://host/file" else { return .honest(content, request.range) }
            let fields = [HTTPHeader("Location", "/file2"), HTTPHeader("Set-Cookie", "a=1")]
            return MemoryEngine.Reply(head: ResponseHead(status: 302, fields: fields))
        }
        let cookies = try await sent("Cookie", by: engine) { $0.sendsRedirectCookies = areSent }
        #expect(cookies == (areSent ? ["a=1"] : []))
    }
}
