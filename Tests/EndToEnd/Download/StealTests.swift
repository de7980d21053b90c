import SegmentedDL
import TestSupport
import Testing

@Suite("A connection that has finished")
struct StealTests {
    @Test("takes over what a crawling one would take minutes for", .timeLimit(.minutes(1)))
    func crawler() async throws {
        let bench = try await Bench()
        let size: Int64 = 8_000_000
        // The second of the later requests gets 20 kB/s: its 2 MB alone would take 100 seconds.
        let url = bench.server.url("drip", size, "every=2&bps=20000&rate=4000000")
        _ = try await bench.download(bench.request(url), segments: 4)
        try bench.expectExact(size)
        let requests = try await bench.server.requests()
        // Four segments, and at least one tail that was stolen.
        #expect(requests.count > 4)
        #expect(Set(requests.compactMap(\.range)).count == requests.count)
    }

    @Test("gives its place to nobody once the rest is too little to share")
    func noUselessRequests() async throws {
        let bench = try await Bench()
        _ = try await bench.download(
            bench.request(bench.server.url("plain", 1_000_000, "rate=2000000")), segments: 4)
        try bench.expectExact(1_000_000)
        #expect(try await bench.server.peak().requests <= 8)
    }
}
