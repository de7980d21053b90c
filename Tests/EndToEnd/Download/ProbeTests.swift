import SegmentedDL
import SystemPackage
import TestSupport
import Testing

@Suite("The first response decides")
struct ProbeTests {
    @Test("a server without ranges is read as one stream", arguments: ["no-ranges", "no-length", "chunked"])
    func stream(behaviour: String) async throws {
        let fixture = try await DownloadFixture()
        let result = try await fixture.download(fixture.request(fixture.server.url(behaviour, 3_000_000)))
        #expect(result.length == 3_000_000)
        #expect(result.connections == 1)
        try fixture.expectExact(3_000_000)
        #expect(try await fixture.server.peak().requests == 1)
    }

    @Test(
        "a truncated stream is an error, never a file", arguments: ["chunked-truncated", "close-truncated"])
    func truncatedStream(behaviour: String) async throws {
        let fixture = try await DownloadFixture()
        let error = try await fixture.failure(fixture.request(fixture.server.url(behaviour, 300_000)))
        #expect(error.exitStatus == 4 || error.exitStatus == 2, "\(error)")
        fixture.expectNoFinalFile()
    }

    @Test("ranges work with chunked bodies and interim responses", arguments: ["chunked-ranges", "interim"])
    func oddFraming(behaviour: String) async throws {
        let fixture = try await DownloadFixture()
        _ = try await fixture.download(fixture.request(fixture.server.url(behaviour, 3_000_000)))
        try fixture.expectExact(3_000_000)
    }

    @Test("the probe's body is the first segment: nothing is fetched twice")
    func probeIsUsed() async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 8_000_000
        _ = try await fixture.download(fixture.request(fixture.server.url("plain", size, "rate=600000")))
        try fixture.expectExact(size)
        let peak = try await fixture.server.peak()
        #expect(peak.peakConcurrent == 4)
        #expect(peak.bytesSent < size * 115 / 100)
    }

    @Test("the name comes from Content-Disposition, sanitized, else from the URL")
    func names() async throws {
        let fixture = try await DownloadFixture()
        func name(_ query: String, _ urlName: String = "url%20name.bin") async throws -> String? {
            let request = try DownloadRequest(
                fixture.server.url("plain", 10, name: urlName, query),
                to: .directory(fixture.directory.filePath("in")))
            return try await fixture.download(request).path?.lastComponent?.string
        }
        #expect(try await name("") == "url name.bin")
        #expect(try await name("disposition=attachment;filename=%22a.iso%22") == "a.iso")
        #expect(try await name("disposition=attachment;filename=%22../../etc/passwd%22") == "passwd")
        #expect(try await name("disposition=attachment;filename*=UTF-8''na%25C3%25AFve.txt") == "naïve.txt")
    }

    @Test("an error page is never saved", arguments: [(404, 3), (403, 3), (500, 3), (418, 3)])
    func errorPages(status: Int, exit: Int32) async throws {
        let fixture = try await DownloadFixture()
        let error = try await fixture.failure(
            fixture.request(fixture.server.url("status", 100, "code=\(status)")))
        #expect(error.exitStatus == exit)
        #expect(error.status == status)
        #expect(fixture.directory.names == [])
    }
}
