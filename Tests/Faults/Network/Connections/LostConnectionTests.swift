import SegmentedDL
import TestContent
import TestSupport
import Testing

@Suite("A connection that fails", .timeLimit(.minutes(10)))
struct LostConnectionTests {
    /// Each of them refuses all but the first request, in a different way.
    private static let refusals = [
        ("stop-listening", ""), ("status", "code=404&later=1"), ("status", "code=403&later=1"),
        ("signed", "uses=1&issues=1"), ("redirect", "later=1&to=/missing"),
        ("redirect", "later=1&to=file%3A///etc/passwd"), ("encoded", ""), ("wrong-start", ""),
        ("hang-up-before-head", "later=1&times=1000"), ("stall-head", "later=1&times=1000"),
        ("stall", "later=1&times=1000&at=1000"), ("drip", "every=1"),
        ("garbage-head", "later=1"), ("garbled-length", "value=-5&later=1"),
    ]

    @Test(
        "by refusal does not end the working one, which continues to the end of the file", arguments: refusals
    )
    func refusedLater(behaviour: String, query: String) async throws {
        // Uses its own server, which may stop listening after the first request, and the real command: in
        // this process, hundreds of tests may run between the refusals and the end of the first segment.
        let server = try await TestServerProcess.start().scenario()
        let directory = try TemporaryDirectory()
        let url = server.url(behaviour, 1_000_000, "rate=80000&\(query)")
        let result = try await Segdl.run(
            ["fetch", "-q", "-s", "4", "--min-segment-size", "64k", "-o", "f", url], in: directory)
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["f"])
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: 1_000_000) == nil)
    }

    @Test("over which a server sends more than announced carries no further request", arguments: [1, 4])
    func excess(atOnce: Int) async throws {
        let server = try await TestServerProcess.start().scenario()
        let directory = try TemporaryDirectory()
        let names = (0..<12).map { "f\($0)" }
        let urls = names.map { server.url("long-body", 100_000, name: $0, "answer=1") }
        let result = try await Segdl.run(
            ["fetch", "-q", "-j", "\(atOnce)", "--retry-delay", "0.01"] + urls, in: directory)
        #expect(result.status == 0, "\(result)")
        for name in names {
            let file = directory.file(name)
            #expect(try TestContent(seed: 1).firstMismatch(inFile: file, length: 100_000) == nil)
        }
    }

    @Test("repeatedly spends no budget while another one works")
    func othersWork() async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.retry.retries = 5
        // The first one would take two minutes for its share: it is active as long as the others fail.
        let query = "code=500&later=1&times=18&first-rate=5000"
        _ = try await fixture.download(
            fixture.request(fixture.server.url("status", 2_000_000, query)), segments: 4)
        try fixture.expectExact(2_000_000)
        #expect(try await fixture.server.requests().count { $0.status == 500 } == 18)
    }

    @Test("by silence is replaced: others fetch its remaining bytes")
    func silent() async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.transport.lowSpeedTime = .seconds(1)
        fixture.configuration.transport.lowSpeedLimit = 1000
        let url = fixture.server.url("stall", 2_000_000, "later=1&times=1&at=20000&rate=4000000")
        _ = try await fixture.download(fixture.request(url), segments: 4)
        try fixture.expectExact(2_000_000)
        let requests = try await fixture.server.requests()
        let stalled = try #require(requests.first { !$0.complete && $0.bytesSent == 20_000 })
        #expect(replacements(of: stalled, in: requests) > 0)
    }

    @Test("by not responding to a first request is tried by a second one if the host has sent others at once")
    func unanswered() async throws {
        var fixture = try await DownloadFixture()
        // Silence does not end a connection here.
        fixture.configuration.transport.lowSpeedTime = .zero
        try await Downloader.withDownloader(fixture.configuration) { downloader in
            for name in ["a", "b", "c", "d"] {
                let url = fixture.server.url("plain", 10_000, name: name)
                _ = try await downloader.download(fixture.request(url, to: name))
            }
            let url = fixture.server.url("stall-head", 300_000, name: "e", "times=1")
            _ = try await downloader.download(fixture.request(url, to: "e"))
        }
        try fixture.expectBytes(300_000, name: "e")
    }

    @Test(
        "by not responding to the first two requests for a file is tried by a third one if the host responded at once",
        arguments: [true, false])
    func unansweredTwice(isRedirected: Bool) async throws {
        var fixture = try await DownloadFixture()
        fixture.configuration.transport.lowSpeedTime = .zero
        let silent = fixture.server.url("stall-head", 300_000, name: "e", "times=2")
        let encoded = silent.replacing("&", with: "%26").replacing("?", with: "%3F")
        let url = isRedirected ? fixture.server.url("redirect", 300_000, name: "e", "to=\(encoded)") : silent
        try await Downloader.withDownloader(fixture.configuration) { downloader in
            if !isRedirected {
                let other = fixture.server.url("plain", 10_000, name: "a")
                _ = try await downloader.download(fixture.request(other, to: "a"))
            }
            _ = try await downloader.download(fixture.request(url, to: "e"))
        }
        try fixture.expectBytes(300_000, name: "e")
    }

    @Test("by being much slower than its siblings is replaced: others fetch its remaining bytes")
    func slow() async throws {
        let fixture = try await DownloadFixture()
        // Its 500 kB alone would take 50 seconds.
        let url = fixture.server.url("drip", 2_000_000, "every=3&bps=10000&rate=4000000")
        _ = try await fixture.download(fixture.request(url), segments: 4)
        try fixture.expectExact(2_000_000)
        let requests = try await fixture.server.requests()
        // The server slows down one of them, and the log may have a different order. If that one was not
        // replaced, it is complete, and so are all others that received so little; on a busy machine one that
        // was cut may have received less.
        let slow = requests.filter { !$0.complete && $0.bytesSent < 250_000 }
        #expect(slow.contains { replacements(of: $0, in: requests) > 0 }, "\(requests)")
    }

    /// The number of later requests for bytes that this one had been asked for.
    private func replacements(
        of request: TestServerProcess.Request, in requests: [TestServerProcess.Request]
    ) -> Int {
        guard let range = bounds(request) else { return 0 }
        return requests.count { other in
            guard other.started > request.started, let start = bounds(other)?.lowerBound else { return false }
            return range.contains(start)
        }
    }

    private func bounds(_ request: TestServerProcess.Request) -> ClosedRange<Int64>? {
        let ends = request.range?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int64($0) }
        guard let ends, ends.count == 2 else { return nil }
        return ends[0]...ends[1]
    }
}
