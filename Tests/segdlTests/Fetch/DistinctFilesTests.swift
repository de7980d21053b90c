import SegmentedDL
import SystemPackage
import Testing

@testable import segdl

@Suite("The files of a command line and its list")
struct DistinctFilesTests {
    @Test("count once each, in order")
    func distinct() throws {
        let urls = ["http://b/", "http://a/x", "http://b/", "http://a/X", "http://A:80/x"]
        let requests = try urls.map { RunRequest.success(try DownloadRequest($0, to: .directory("d"))) }
        #expect(RunRequest.distinct(requests) == [0, 1, 3])
    }

    @Test("are equal only with the same settings")
    func settings() throws {
        let plain = try DownloadRequest("http://a/x", to: .directory("d"))
        var mirrored = plain
        mirrored.mirrors = [try Source("http://b/x")]
        let named = plain.with(.file("other"))
        let wrong = RunRequest.failure(DownloadError(.invalidSetting, "a reason", url: "list:5"))
        let requests = [plain, plain, named, mirrored].map { RunRequest.success($0) } + [wrong, wrong]
        #expect(RunRequest.distinct(requests) == [0, 2, 3, 4, 5])
    }
}
