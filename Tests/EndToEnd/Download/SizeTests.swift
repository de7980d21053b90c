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
        let bench = try await Bench()
        let result = try await bench.download(
            bench.request(bench.server.url("plain", size)), segments: segments)
        #expect(result.length == size)
        #expect(result.bytesWritten == size)
        try bench.expectExact(size)
        let requests = try await bench.server.requests()
        #expect(requests.first?.range == "bytes=0-")
        #expect(requests.allSatisfy { $0.headers["accept-encoding"] == "identity" })
    }

    @Test("of over 4 GiB arrive exact", .timeLimit(.minutes(5)))
    func beyond32Bits() async throws {
        var bench = try await Bench()
        bench.configuration.durability = .process
        let size: Int64 = 4 * 1024 * 1024 * 1024 + 12_345
        let result = try await bench.download(bench.request(bench.server.url("plain", size)), segments: 8)
        #expect(result.length == size)
        try bench.expectExact(size)
    }

    @Test("are cut into no more segments than make sense")
    func smallFilesGetFewConnections() async throws {
        var bench = try await Bench()
        bench.configuration.minimumSegmentSize = 1_000_000
        _ = try await bench.download(bench.request(bench.server.url("plain", 2_500_000)), segments: 8)
        let peak = try await bench.server.peak()
        #expect(peak.peakConcurrent <= 2)
        try bench.expectExact(2_500_000)
    }
}
