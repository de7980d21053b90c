import SegmentedDL
import TestSupport
import Testing

@Suite("Files of every size")
struct SizeTests {
    @Test(
        "arrive exact",
        arguments: [0, 1, 2, 7, 8, 65_535, 65_536, 65_537, 1_000_003, 16_777_216, 16_777_217] as [Int64],
        [1, 2, 8])
    func exact(size: Int64, segments: Int) async throws {
        let fixture = try await DownloadFixture()
        let result = try await fixture.download(
            fixture.request(fixture.server.url("plain", size)), segments: segments)
        #expect(result.length == size)
        #expect(result.bytesWritten == size)
        try fixture.expectExact(size)
        let requests = try await fixture.server.requests()
        #expect(requests.first?.range == "bytes=0-")
        #expect(requests.allSatisfy { $0.headers["accept-encoding"] == "identity" })
    }

    @Test("of over 4 GiB arrive exact", .timeLimit(.minutes(10)))
    func beyond32Bits() async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.durability = .process
        let size: Int64 = 4 * 1024 * 1024 * 1024 + 12_345
        let result = try await fixture.download(
            fixture.request(fixture.server.url("plain", size)), segments: 8)
        #expect(result.length == size)
        try fixture.expectExact(size)
    }

    @Test("are split into no more segments than useful")
    func smallFilesGetFewConnections() async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.minimumSegmentSize = 1_000_000
        _ = try await fixture.download(fixture.request(fixture.server.url("plain", 2_500_000)), segments: 8)
        let peak = try await fixture.server.peak()
        #expect(peak.peakConcurrent <= 2)
        try fixture.expectExact(2_500_000)
    }
}
