import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("Invalid requests are errors")
struct DownloadRequestTests {
    private func request() throws -> DownloadRequest {
        try DownloadRequest("https://host.example/file", to: .directory("."))
    }

    @Test("a plain request is valid")
    func plain() throws {
        var request = try request()
        request.headers = [HTTPHeader("Authorization", "Bearer x"), HTTPHeader("X-Empty", "")]
        request.rate = 1
        request.segments = .fixed(8)
        try request.validate()
    }

    @Test(
        "fields that segments depend on are refused, in any case",
        arguments: [
            "Range", "range", "If-Range", "ACCEPT-ENCODING", "Content-Length", "Transfer-Encoding",
            "Connection",
        ])
    func ownHeaders(name: String) throws {
        var request = try request()
        request.headers = [HTTPHeader(name, "x")]
        let error = try #require(throws: DownloadError.self) { try request.validate() }
        #expect(error.code == .invalidSetting)
        #expect(error.message.contains("'\(name)'"))
    }

    @Test(
        "fields that would corrupt the request are refused",
        arguments: [
            HTTPHeader("", "x"), HTTPHeader("A B", "x"), HTTPHeader("A\r\nB", "x"),
            HTTPHeader("A", "x\r\nB: y"),
            HTTPHeader("A", "x\n"), HTTPHeader("A", "\u{0}"), HTTPHeader(" A", "x"),
        ])
    func badHeaders(header: HTTPHeader) throws {
        var request = try request()
        request.headers = [HTTPHeader("Fine", "x"), header]
        let error = try #require(throws: DownloadError.self) { try request.validate() }
        #expect(error.code == .invalidSetting)
    }

    @Test("rates below one byte per second are refused", arguments: [0, -1, Int64.min] as [Int64])
    func rate(rate: Int64) throws {
        var request = try request()
        request.rate = rate
        let error = try #require(throws: DownloadError.self) { try request.validate() }
        #expect(error.message.contains("\(rate) bytes"))
    }

    @Test(
        "an empty path is no destination",
        arguments: [.directory(""), .directory(path: ""), .file(""), .file(path: "")]
            as [DownloadRequest.Destination])
    func emptyPath(destination: DownloadRequest.Destination) throws {
        var request = try request()
        request.destination = destination
        let error = try #require(throws: DownloadError.self) { try request.validate() }
        #expect(error.code == .invalidSetting)
    }

    @Test("an empty path is no directory of incomplete files")
    func emptyDirectory() throws {
        var configuration = Configuration()
        configuration.incompleteDirectory = ""
        let error = try #require(throws: DownloadError.self) { try configuration.validate() }
        #expect(error.code == .invalidSetting)
    }

    @Test("less than one segment is refused", arguments: [0, -1, .min])
    func segments(count: Int) throws {
        var request = try request()
        request.segments = .fixed(count)
        #expect(throws: DownloadError.self) { try request.validate() }
    }
}
