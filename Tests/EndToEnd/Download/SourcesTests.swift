import Foundation
import SegmentedDL
import TestContent
import TestSupport
import Testing

/// Servers for one test: each is a different host by its port.
private struct Mirrors {
    var fixture: DownloadFixture
    let servers: [TestServerProcess.Scenario]
    private let processes: [TestServerProcess]

    init(_ count: Int) async throws {
        fixture = try await DownloadFixture()
        var processes: [TestServerProcess] = []
        for _ in 0..<count { processes.append(try await TestServerProcess.start()) }
        self.processes = processes
        servers = processes.map { $0.scenario() }
    }

    func request(_ urls: [String]) throws -> DownloadRequest {
        var request = try fixture.request(urls[0])
        request.mirrors = try urls.dropFirst().map { try Source($0) }
        return request
    }

    func sent() async throws -> [Int64] {
        var sent: [Int64] = []
        for server in servers { sent.append(try await server.peak().bytesSent) }
        return sent
    }
}

/// The SHA-256 of a range of the content.
private func checksum(_ range: Range<Int64>) async throws -> Checksum {
    let directory = try TemporaryDirectory()
    try Data(TestContent(seed: 1).bytes(range)).write(to: URL(fileURLWithPath: directory.file("bytes")))
    let found = try await FileDigest.compute([.sha256], of: directory.filePath("bytes"))
    return try #require(found.first)
}

func pieces(of size: Int64, length: Int64) async throws -> PieceHashes {
    var checksums: [Checksum] = []
    for start in stride(from: 0, to: size, by: Int64.Stride(length)) {
        checksums.append(try await checksum(start..<min(start + length, size)))
    }
    return try PieceHashes(length: length, checksums)
}

@Suite("Several sources of one file", .timeLimit(.minutes(10)))
struct SourcesTests {
    private let size: Int64 = 8_000_000

    @Test("each contributes according to its speed")
    func shares() async throws {
        var mirrors = try await Mirrors(3)
        mirrors.fixture.configuration.limits.connectionsPerHost = 1
        // So slow that a busy machine does not distort their speeds.
        let rates = [300_000, 150_000, 75_000]
        let urls = zip(mirrors.servers, rates).map { $0.url("plain", size, "rate=\($1)") }
        var request = try mirrors.request(urls)
        request.segments = .fixed(3)
        _ = try await mirrors.fixture.download(request, segments: 1)
        try mirrors.fixture.expectExact(size)
        let sent = try await mirrors.sent()
        let sum = sent.reduce(0, +)
        // On an idle machine, 4/7, 2/7 and 1/7 of the file according to their speeds.
        #expect(sent[0] > sent[1] && sent[1] > sent[2] && sent[2] > 0, "\(sent)")
        #expect(sum < size * 115 / 100, "\(sent)")
    }

    @Test("the first one may be missing", arguments: ["status", "hang-up-before-head"])
    func firstIsMissing(behaviour: String) async throws {
        let mirrors = try await Mirrors(2)
        let query = behaviour == "status" ? "code=404" : "times=1000"
        let urls = [
            mirrors.servers[0].url(behaviour, size, query), mirrors.servers[1].url("plain", size),
        ]
        _ = try await mirrors.fixture.download(mirrors.request(urls))
        try mirrors.fixture.expectExact(size)
    }

    @Test("the first one may send a page or nothing instead of the file", arguments: [false, true])
    func firstIsPlaceholder(isEmpty: Bool) async throws {
        let mirrors = try await Mirrors(2)
        let urls = [
            isEmpty
                ? mirrors.servers[0].url("plain", 0)
                : mirrors.servers[0].url("status", size, "code=200&type=text/html&text=parked"),
            mirrors.servers[1].url("plain", size),
        ]
        _ = try await mirrors.fixture.download(mirrors.request(urls))
        try mirrors.fixture.expectExact(size)
    }

    @Test("a page that all of them send is the file")
    func allSendPages() async throws {
        let mirrors = try await Mirrors(2)
        let urls = mirrors.servers.map { $0.url("status", size, "code=200&type=text/html&text=hello") }
        let result = try await mirrors.fixture.download(mirrors.request(urls))
        #expect(result.bytesWritten == 5)
    }

    @Test("a mirror of another length is not used")
    func otherLength() async throws {
        let mirrors = try await Mirrors(2)
        let urls = [
            mirrors.servers[0].url("plain", size, "rate=2000000"),
            mirrors.servers[1].url("plain", size - 1),
        ]
        _ = try await mirrors.fixture.download(mirrors.request(urls))
        try mirrors.fixture.expectExact(size)
        #expect(try await mirrors.sent()[1] < size / 8)
    }

    @Test(
        "a mirror that answers 404, or ignores ranges, is dropped", arguments: ["status", "no-ranges"])
    func useless(behaviour: String) async throws {
        let mirrors = try await Mirrors(2)
        let urls = [
            mirrors.servers[0].url("plain", size, "rate=2000000"),
            mirrors.servers[1].url(behaviour, size, behaviour == "status" ? "code=404" : ""),
        ]
        _ = try await mirrors.fixture.download(mirrors.request(urls))
        try mirrors.fixture.expectExact(size)
        #expect(try await mirrors.servers[1].peak().requests <= 4)
    }

    @Test("one that stalls or breaks off midway is replaced", arguments: [0, 1], ["stall", "reset"])
    func midway(bad: Int, behaviour: String) async throws {
        let mirrors = try await Mirrors(2)
        var urls = mirrors.servers.map { $0.url("plain", size, "rate=1000000") }
        urls[bad] = mirrors.servers[bad].url(behaviour, size, "at=600000&times=1000&rate=1000000")
        _ = try await mirrors.fixture.download(mirrors.request(urls))
        try mirrors.fixture.expectExact(size)
    }

    @Test("a mirror with other bytes of the same length is detected by a sample")
    func differs() async throws {
        let mirrors = try await Mirrors(2)
        let urls = [
            mirrors.servers[0].url("plain", size, "rate=2000000"),
            mirrors.servers[1].url("plain", size, "seed=2"),
        ]
        _ = try await mirrors.fixture.download(mirrors.request(urls))
        try mirrors.fixture.expectExact(size)
        #expect(try await mirrors.sent()[1] < size / 8)
    }

    @Test("a first source with wrong bytes is detected by the file's digest")
    func firstLies() async throws {
        let mirrors = try await Mirrors(3)
        let urls = [
            mirrors.servers[0].url("plain", size, "seed=2&rate=4000000"),
            mirrors.servers[1].url("plain", size), mirrors.servers[2].url("plain", size),
        ]
        var request = try mirrors.request(urls)
        request.checksums = [try await checksum(0..<size)]
        _ = try await mirrors.fixture.download(request)
        try mirrors.fixture.expectExact(size)
    }

    /// The server is honest at first, and then sends other bytes with the same validators.
    private let lying = "after=2&by=none&rate=1000000"

    @Test(
        "one with wrong bytes is detected by piece digests, and only its bytes are fetched again",
        arguments: [0, 1])
    func piecesTell(liar: Int) async throws {
        let mirrors = try await Mirrors(3)
        var urls = mirrors.servers.map { $0.url("plain", size, "rate=1000000") }
        urls[liar] = mirrors.servers[liar].url("changing", size, liar == 0 ? "after=0&by=none" : lying)
        var request = try mirrors.request(urls)
        request.pieces = try await pieces(of: size, length: 500_000)
        let result = try await mirrors.fixture.download(request, segments: 6)
        try mirrors.fixture.expectExact(size)
        #expect(result.bytesReceived > size)
        #expect(result.bytesReceived < size * 2)
    }

    @Test(
        "one with wrong bytes is detected by the file's digest, and its bytes are fetched again",
        arguments: [1, 2])
    func digestTells(liar: Int) async throws {
        let mirrors = try await Mirrors(3)
        var urls = mirrors.servers.map { $0.url("plain", size, "rate=1000000") }
        urls[liar] = mirrors.servers[liar].url("changing", size, lying)
        var request = try mirrors.request(urls)
        request.checksums = [try await checksum(0..<size)]
        let result = try await mirrors.fixture.download(request, segments: 6)
        try mirrors.fixture.expectExact(size)
        #expect(result.verified.count == 1)
        #expect(result.bytesReceived > size)
    }

    @Test("without a correct source no file is created")
    func allLie() async throws {
        let mirrors = try await Mirrors(2)
        let urls = mirrors.servers.map { $0.url("plain", size, "seed=2") }
        var request = try mirrors.request(urls)
        request.checksums = [try await checksum(0..<size)]
        #expect(try await mirrors.fixture.failure(request).code == .checksumMismatch)
        mirrors.fixture.expectNoFinalFile()
        request.checksums = []
        request.pieces = try await pieces(of: size, length: 500_000)
        request.startsOver = true
        #expect(try await mirrors.fixture.failure(request).code == .checksumMismatch)
        mirrors.fixture.expectNoFinalFile()
    }

    @Test("piece digests are checked for a single source, too")
    func singleSource() async throws {
        let fixture = try await DownloadFixture()
        var request = try fixture.request(fixture.server.url("plain", size))
        request.pieces = try await pieces(of: size, length: 300_000)
        _ = try await fixture.download(request)
        try fixture.expectExact(size)
    }

    @Test("one whose file changes midway is dropped")
    func changesMidway() async throws {
        let mirrors = try await Mirrors(2)
        let urls = [
            mirrors.servers[0].url("changing", size, "after=2&rate=1000000"),
            mirrors.servers[1].url("plain", size, "rate=1000000"),
        ]
        _ = try await mirrors.fixture.download(mirrors.request(urls))
        try mirrors.fixture.expectExact(size)
    }

    @Test("a killed download resumes from any of the sources")
    func killed() async throws {
        let mirrors = try await Mirrors(2)
        let directory = mirrors.fixture.directory
        let urls = [
            mirrors.servers[0].url("plain", size, "rate=300000"),
            mirrors.servers[1].url("plain", size, "rate=300000&etag=\"b\"&lm=none"),
        ]
        func arguments(_ urls: [String]) -> [String] {
            ["fetch", "-q", "-s", "4", "--min-segment-size", "64KiB", "-o", directory.file("file.bin")]
                + urls.dropFirst().flatMap { ["--mirror", $0] } + [urls[0]]
        }
        var kept: Int64 = 0
        for (round, order) in [urls, urls.reversed(), [urls[1]], urls].enumerated() {
            let process = try Segdl.start(arguments(order))
            try await Segdl.waitUntilKept("file.bin", atLeast: kept + 600_000, in: directory)
            process.send(SIGKILL)
            _ = await process.result()
            let now = try Segdl.kept("file.bin", in: directory)
            #expect(now >= kept, "round \(round)")
            kept = now
        }
        let result = try await Segdl.run(arguments(urls))
        #expect(result.status == 0)
        try mirrors.fixture.expectExact(size)
        let sent = try await mirrors.sent().reduce(0, +)
        #expect(sent < size * 17 / 10, "\(sent)")
    }

    @Test("a line of a list may name several sources of one file")
    func list() async throws {
        let mirrors = try await Mirrors(2)
        let urls = [
            mirrors.servers[0].url("status", size, "code=404"), mirrors.servers[1].url("plain", size),
        ]
        let directory = mirrors.fixture.directory
        let result = try await Segdl.run(
            ["fetch", "-q", "-d", directory.path, "-i", "-"], input: urls.joined(separator: "\t") + "\n")
        #expect(result.status == 0, "\(result.errors)")
        try mirrors.fixture.expectExact(size)
    }

    @Test("headers and credentials are sent only to the first source's host")
    func secrets() async throws {
        let mirrors = try await Mirrors(2)
        var request = try mirrors.request(mirrors.servers.map { $0.url("plain", size, "rate=2000000") })
        request.headers = [HTTPHeader("X-Secret", "yes")]
        request.credentials = Credentials(user: "me", password: "secret")
        _ = try await mirrors.fixture.download(request)
        try mirrors.fixture.expectExact(size)
        func shows(_ request: TestServerProcess.Request) -> Bool {
            request.headers.keys.contains { ["x-secret", "authorization"].contains($0.lowercased()) }
        }
        #expect(try await mirrors.servers[0].requests().allSatisfy(shows))
        let others = try await mirrors.servers[1].requests()
        #expect(!others.isEmpty && !others.contains(where: shows))
    }

    @Test("a source that asks to wait does not delay the others")
    func busy() async throws {
        let mirrors = try await Mirrors(2)
        let urls = [
            mirrors.servers[0].url("plain", size, "rate=2000000"),
            mirrors.servers[1].url("status", size, "code=503&retry-after=3600"),
        ]
        // It requests an hour, which is longer than the test's limit.
        _ = try await mirrors.fixture.download(mirrors.request(urls))
        try mirrors.fixture.expectExact(size)
        #expect(try await mirrors.servers[1].peak().requests <= 2)
        _ = try await mirrors.fixture.download(
            mirrors.request(urls.reversed()).with { $0.ifExists = .replace })
        try mirrors.fixture.expectExact(size)
    }

    @Test("nginx and another server deliver one file together")
    func nginx() async throws {
        let mirrors = try await Mirrors(1)
        let nginx = try await Nginx(server: "limit_rate 50k;")
        try TestContent(seed: 1).write(to: nginx.root.file("file.bin"), length: size)
        let request = try mirrors.request([
            nginx.url("file.bin"), mirrors.servers[0].url("plain", size, "rate=2000000"),
        ])
        _ = try await mirrors.fixture.download(request)
        try mirrors.fixture.expectExact(size)
        #expect(try await mirrors.sent()[0] > size / 10)
    }
}

extension DownloadRequest {
    fileprivate func with(_ change: (inout DownloadRequest) -> Void) -> DownloadRequest {
        var changed = self
        change(&changed)
        return changed
    }
}
