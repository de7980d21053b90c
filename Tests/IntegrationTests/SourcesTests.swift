import Foundation
import SegmentedDL
import TestContent
import TestSupport
import Testing

/// Servers of their own for one test: each is another host, by its port.
private struct Mirrors {
    var bench: Bench
    let servers: [TestServerProcess.Scenario]
    private let processes: [TestServerProcess]

    init(_ count: Int) async throws {
        bench = try await Bench()
        var processes: [TestServerProcess] = []
        for _ in 0..<count { processes.append(try await TestServerProcess.start()) }
        self.processes = processes
        servers = processes.map { $0.scenario() }
    }

    func request(_ urls: [String]) throws -> DownloadRequest {
        var request = try bench.request(urls[0])
        request.mirrors = try urls.dropFirst().map { try Source($0) }
        return request
    }

    func sent() async throws -> [Int64] {
        var sent: [Int64] = []
        for server in servers { sent.append(try await server.peak().bytesSent) }
        return sent
    }
}

private func checksum(_ size: Int64, seed: UInt64 = 1) throws -> Checksum {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/whole"
    try TestContent(seed: seed).bytes(0..<size).write(toFile: path)
    return try FileDigestForTests.sha256(path)
}

@Suite("Several sources of one file", .timeLimit(.minutes(1)))
struct SourcesTests {
    private let size: Int64 = 8_000_000

    @Test("each delivers as it is fast")
    func shares() async throws {
        var mirrors = try await Mirrors(3)
        mirrors.bench.configuration.limits.connectionsPerHost = 1
        let rates = [2_000_000, 1_000_000, 500_000]
        let urls = zip(mirrors.servers, rates).map { $0.url("plain", size, "rate=\($1)") }
        _ = try await mirrors.bench.download(mirrors.request(urls), segments: 3)
        try mirrors.bench.expectExact(size)
        let sent = try await mirrors.sent()
        let sum = sent.reduce(0, +)
        // By their speeds 4/7, 2/7 and 1/7 of the file.
        #expect(sent[0] > sum * 45 / 100, "\(sent)")
        #expect(sent[1] > sum * 20 / 100 && sent[1] < sum * 40 / 100, "\(sent)")
        #expect(sent[2] > sum * 8 / 100 && sent[2] < sum * 25 / 100, "\(sent)")
        #expect(sum < size * 115 / 100, "\(sent)")
    }

    @Test("the first one may be missing", arguments: ["status", "hang-up-before-head"])
    func firstIsMissing(behaviour: String) async throws {
        let mirrors = try await Mirrors(2)
        let query = behaviour == "status" ? "code=404" : "times=1000"
        let urls = [
            mirrors.servers[0].url(behaviour, size, query), mirrors.servers[1].url("plain", size),
        ]
        _ = try await mirrors.bench.download(mirrors.request(urls))
        try mirrors.bench.expectExact(size)
    }

    @Test("a mirror of another length is not used")
    func otherLength() async throws {
        let mirrors = try await Mirrors(2)
        let urls = [
            mirrors.servers[0].url("plain", size, "rate=2000000"),
            mirrors.servers[1].url("plain", size - 1),
        ]
        _ = try await mirrors.bench.download(mirrors.request(urls))
        try mirrors.bench.expectExact(size)
        #expect(try await mirrors.sent()[1] < size / 8)
    }

    @Test("a mirror that answers 404, or ignores ranges, is done without", arguments: ["status", "no-ranges"])
    func useless(behaviour: String) async throws {
        let mirrors = try await Mirrors(2)
        let urls = [
            mirrors.servers[0].url("plain", size, "rate=2000000"),
            mirrors.servers[1].url(behaviour, size, behaviour == "status" ? "code=404" : ""),
        ]
        _ = try await mirrors.bench.download(mirrors.request(urls))
        try mirrors.bench.expectExact(size)
        #expect(try await mirrors.servers[1].peak().requests <= 4)
    }

    @Test("one that stalls or breaks off midway is survived", arguments: [0, 1], ["stall", "reset"])
    func midway(bad: Int, behaviour: String) async throws {
        let mirrors = try await Mirrors(2)
        var urls = mirrors.servers.map { $0.url("plain", size, "rate=1000000") }
        urls[bad] = mirrors.servers[bad].url(behaviour, size, "at=600000&times=1000&rate=1000000")
        _ = try await mirrors.bench.download(mirrors.request(urls))
        try mirrors.bench.expectExact(size)
    }

    @Test("a mirror with other bytes of the same length is found out by a sample")
    func differs() async throws {
        let mirrors = try await Mirrors(2)
        let urls = [
            mirrors.servers[0].url("plain", size, "rate=2000000"),
            mirrors.servers[1].url("plain", size, "seed=2"),
        ]
        _ = try await mirrors.bench.download(mirrors.request(urls))
        try mirrors.bench.expectExact(size)
        #expect(try await mirrors.sent()[1] < size / 8)
    }

    @Test("a first source that lies is found out by the file's digest")
    func firstLies() async throws {
        let mirrors = try await Mirrors(3)
        let urls = [
            mirrors.servers[0].url("plain", size, "seed=2&rate=4000000"),
            mirrors.servers[1].url("plain", size), mirrors.servers[2].url("plain", size),
        ]
        var request = try mirrors.request(urls)
        request.checksum = try checksum(size)
        _ = try await mirrors.bench.download(request)
        try mirrors.bench.expectExact(size)
    }
}
