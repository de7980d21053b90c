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
        let collected = collected(requests)
        #expect(collected.requests.map(\.shownURL) == ["http://b/", "http://a/x", "http://a/X"])
        #expect(collected.hasRepetitions)
    }

    @Test("are equal only with the same settings")
    func settings() throws {
        let plain = try DownloadRequest("http://a/x", to: .directory("d"))
        var mirrored = plain
        mirrored.mirrors = [try Source("http://b/x")]
        let named = plain.with(.file("other"))
        let wrong = RunRequest.failure(DownloadError(.invalidSetting, "a reason", url: "list:5"))
        let requests = [plain, plain, named, mirrored].map { RunRequest.success($0) } + [wrong, wrong]
        let collected = collected(requests)
        #expect(collected.requests.compactMap { try? $0.get() } == [plain, named, mirrored])
        #expect(collected.requests.failures == [3, 4])
    }

    private func collected(_ requests: [RunRequest]) -> RequestCollector {
        var collector = RequestCollector()
        for request in requests { collector.add(request) }
        return collector
    }
}
