import TestContent
import TestSupport
import Testing

@Suite("Messages about a silent server", .timeLimit(.minutes(10)))
struct SilenceTests {
    private let directory: TemporaryDirectory
    private let server: TestServerProcess.Scenario
    private let once = ["--retries", "0", "--low-speed-time", "8"]

    init() async throws {
        directory = try TemporaryDirectory()
        server = try await SharedServer.scenario()
    }

    /// Expects one line about the silence, followed by the failure.
    private func expectTold(_ result: ChildProcess.Result, _ text: String) {
        #expect(result.status != 0, "\(result)")
        let lines = result.errors.split(separator: "\n").map(String.init)
        let told = lines.indices.filter { lines[$0].contains(text) }
        let failed = lines.firstIndex { $0.hasPrefix("failed: ") }
        #expect(told.count == 1 && failed != nil && told[0] < failed ?? 0, "\(lines)")
        #expect(
            told.allSatisfy { lines[$0].contains("waiting until 8 s (lowSpeedTime, --low-speed-time)") },
            "\(lines)")
    }

    @Test(
        "a server that accepts but never responds is reported once before the failure",
        arguments: [["fetch"], ["fetch", "--dry-run"]])
    func answer(words: [String]) async throws {
        let result = try await Segdl.run(
            words + once + [server.url("stall-head", 1000, "times=99")], in: directory)
        expectTold(result, "accepted the connection but has not responded for 5 s")
    }

    @Test("likewise in segdl mirror")
    func mirror() async throws {
        let url = server.url("stall-head", 1000, name: "tree/", "times=99")
        let result = try await Segdl.run(
            ["mirror"] + once + ["--format", "index", url, "copy"], in: directory)
        expectTold(result, "accepted the connection but has not responded for 5 s")
    }

    @Test("a body that stalls is reported once")
    func body() async throws {
        let url = server.url("stall", 3_000_000, "whole=1&at=1000000&times=99")
        let result = try await Segdl.run(["fetch", "-s", "1"] + once + [url], in: directory)
        expectTold(result, "no data from ")
    }

    @Test(
        "the failure names the option for the timeout",
        arguments: [
            ("--first-byte-timeout", "stall-head", "times=99"),
            ("--low-speed-time", "stall", "whole=1&at=100000&times=99"),
        ])
    func option(name: String, fault: String, details: String) async throws {
        let url = server.url(fault, 1_000_000, details)
        let result = try await Segdl.run(
            ["fetch", "-s", "1", "--retries", "0", name, "2", url], in: directory)
        #expect(result.status == 2 && result.errors.contains("(\(name) sets the limit)"), "\(result)")
    }

    @Test("a silent proxy is named as the proxy")
    func proxy() async throws {
        let silent = try SilentListener()
        let place = "127.0.0.1:\(silent.port)"
        let result = try await Segdl.run(
            ["fetch"] + once + ["--proxy", "http://\(place)", "http://host.example/x"], in: directory)
        expectTold(result, "the proxy \(place) accepted the connection but has not responded for 5 s")
    }

    @Test(
        "a scanner that sends an occasional byte, or delays its response, is waited for",
        arguments: [("scan=2", "1"), ("scan=2", "8"), ("scan=2", "auto"), ("delay=22000", "auto")])
    func scanner(way: String, segments: String) async throws {
        let size: Int64 = 4_000_000
        let result = try await Segdl.run(
            ["fetch", "-s", segments, "-o", "f", server.url("plain", size, way)], in: directory)
        #expect(result.status == 0, "\(result)")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: size) == nil)
        // Connections are not replaced one after the other.
        let requests = try await server.requests().map(\.range)
        #expect(requests.count <= 16, "\(requests)")
    }

    @Test("-q reports nothing")
    func quiet() async throws {
        let result = try await Segdl.run(
            ["fetch", "-q"] + once + [server.url("stall-head", 1000, "times=99")], in: directory)
        #expect(result.status == 2 && !result.errors.contains("not responded for"), "\(result)")
    }
}
