import SegmentedDL
import TestSupport
import Testing

@Suite("Answers to later ranges")
struct AnswerTableTests {
    static let size: Int64 = 2_000_000

    @Test(
        "that lie are refused before a byte is written, and fetched elsewhere",
        arguments: [
            "wrong-start", "wrong-end", "no-content-range", "garbled-content-range",
            "negative-content-range", "multipart",
        ])
    func liesThatPass(behaviour: String) async throws {
        let bench = try await Bench()
        _ = try await bench.download(
            bench.request(bench.server.url(behaviour, Self.size, "times=2&rate=4000000")))
        try bench.expectExact(Self.size)
    }

    @Test(
        "that keep lying end in an error that names it, and no file",
        arguments: ["wrong-start", "wrong-end", "no-content-range", "garbled-content-range", "multipart"])
    func liesThatPersist(behaviour: String) async throws {
        let bench = try await Bench()
        let error = try await bench.failure(
            bench.request(bench.server.url(behaviour, Self.size, "rate=4000000")))
        #expect(error.code == .wrongRange, "\(error)")
        bench.expectNoFinalFile()
    }

    @Test("with another total or validator start the file over", arguments: ["total", "etag", "lm", "all"])
    func changes(by what: String) async throws {
        let bench = try await Bench()
        let url = bench.server.url("changing", Self.size, "by=\(what)&after=2&rate=4000000")
        _ = try await bench.download(bench.request(url))
        try bench.expectExact(what == "total" || what == "all" ? Self.size + 1000 : Self.size, seed: 2)
    }

    @Test("with a rotating ETag and the same bytes are the same file")
    func rotatingETag() async throws {
        let bench = try await Bench()
        _ = try await bench.download(
            bench.request(bench.server.url("rotating-etag", Self.size, "rate=4000000")))
        try bench.expectExact(Self.size)
    }

    @Test(
        "of 200 drop the connection, and the others go on",
        arguments: ["ranges-sometimes", "ranges-only-first"])
    func ignoredRanges(behaviour: String) async throws {
        let bench = try await Bench()
        _ = try await bench.download(bench.request(bench.server.url(behaviour, Self.size, "rate=4000000")))
        try bench.expectExact(Self.size)
    }

    @Test("that are encoded are refused")
    func encoded() async throws {
        let bench = try await Bench()
        let error = try await bench.failure(bench.request(bench.server.url("encoded", Self.size, "first=1")))
        #expect(error.code == .encodedContent)
        bench.expectNoFinalFile()
    }

    @Test("that end early are gone on with", arguments: ["short-body", "reset", "hang-up-before-head"])
    func lostConnections(behaviour: String) async throws {
        let bench = try await Bench()
        _ = try await bench.download(bench.request(bench.server.url(behaviour, Self.size, "times=3")))
        try bench.expectExact(Self.size)
    }

    @Test("that are too long give no byte too much")
    func longBody() async throws {
        let bench = try await Bench()
        _ = try await bench.download(bench.request(bench.server.url("long-body", Self.size)))
        try bench.expectExact(Self.size)
    }

    @Test("that stall are given up and fetched again")
    func stalls() async throws {
        var bench = try await Bench()
        bench.configuration.transport.lowSpeedTime = 1
        bench.configuration.transport.lowSpeedLimit = 1000
        _ = try await bench.download(bench.request(bench.server.url("stall", Self.size, "times=2")))
        try bench.expectExact(Self.size)
    }

    @Test("of a host with a limit make its downloads wait", arguments: ["503", "429", "reset", "refuse"])
    func hostLimit(how: String) async throws {
        let bench = try await Bench()
        let url = bench.server.url("limit", 6_000_000, "k=2&how=\(how)&rate=2000000")
        _ = try await bench.download(bench.request(url), segments: 6)
        try bench.expectExact(6_000_000)
        let peak = try await bench.server.peak()
        #expect(peak.requests < 40, "\(peak)")
    }
}
