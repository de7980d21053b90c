import SegmentedDL
import TestSupport
import Testing

@Suite("An idle connection")
struct StealTests {
    @Test("takes over bytes that a very slow one would need minutes for", .timeLimit(.minutes(10)))
    func crawler() async throws {
        let fixture = try await DownloadFixture()
        let size: Int64 = 8_000_000
        // The second of the later requests gets 20 kB/s: its 2 MB alone would take 100 seconds.
        let url = fixture.server.url("drip", size, "every=2&bps=20000&rate=4000000")
        _ = try await fixture.download(fixture.request(url), segments: 4)
        try fixture.expectExact(size)
        // Four segments, and at least one stolen tail. How many bytes are sent twice is not asserted: a busy
        // client closes a connection late, and its server fills the kernel's buffers until then.
        #expect(try await fixture.server.peak().requests > 4)
    }

    @Test("keeps its slot when the rest is too small to share")
    func noUselessRequests() async throws {
        let fixture = try await DownloadFixture()
        _ = try await fixture.download(
            fixture.request(fixture.server.url("plain", 1_000_000, "rate=2000000")), segments: 4)
        try fixture.expectExact(1_000_000)
        #expect(try await fixture.server.peak().requests <= 8)
    }
}
