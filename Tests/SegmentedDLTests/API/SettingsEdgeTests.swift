import SystemPackage
import Testing

@testable import SegmentedDL

@Suite("Settings that would trap later")
struct SettingsEdgeTests {
    @Test("an endless retry delay is refused: no task can sleep that long")
    func endlessDelay() {
        var configuration = Configuration()
        configuration.retry.delay = .seconds(Int64.max)
        configuration.retry.longestDelay = .seconds(Int64.max)
        #expect(throws: DownloadError.self) { try configuration.validate() }
    }

    @Test("a header name with a colon cannot inject a header of the download")
    func smuggledHeader() throws {
        var request = try DownloadRequest("https://host.example/file", to: .directory("."))
        request.headers = [HTTPHeader("Range: bytes=0-1, X", "y")]
        #expect(throws: DownloadError.self) { try request.validate() }
    }
}
