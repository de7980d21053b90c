import TestContent
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("segdl fetch within its limits")
struct FetchLimitsTests {
    @Test(
        "a cap below the number of segments limits the connections",
        arguments: ["-x", "--max-connections-per-host"])
    func capBelowSegments(option: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 3_000_000, "rate=500000")
        let result = try await Segdl.run(
            ["fetch", "-q", "-s", "8", option, "3", "--min-segment-size", "64k", "-o", "f", url],
            in: directory)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: 3_000_000) == nil)
        #expect(try await server.peak().peakConcurrent == 3)
    }

    @Test("never opens more connections than allowed")
    func caps() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let urls = (0..<6).map { server.url("plain", 1_000_000, name: "f\($0)", "rate=1000000") }
        let result = try await Segdl.run(
            ["fetch", "-q", "-x", "5", "-j", "3", "-s", "4", "--min-segment-size", "64k"] + urls,
            in: directory)
        #expect(result.status == 0, "\(result.errors)")
        #expect(directory.names.count == 6)
        let peak = try await server.peak()
        #expect(peak.peakConcurrent <= 5, "\(peak)")
        #expect(peak.peakConcurrent >= 3, "\(peak)")
    }

    @Test(
        "does not add connections that would only share its own rate limit",
        arguments: ["--limit-rate", "--limit-rate-per-file"])
    func rateAlone(option: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            ["fetch", "-q", option, "1m", "-o", "f", server.url("plain", 2_500_000)], in: directory)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try await server.requests().count == 1)
    }

    @Test(
        "resumes with its own rate limit and another one for all files",
        arguments: [("4m", "2m"), ("2m", "4m"), ("2m", "90m"), ("2m", "2m")])
    func bothRates(all: String, perFile: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let options = ["fetch", "-q", "-s", "4", "--min-segment-size", "64k", "--limit-rate", all]
        let urls = (0..<2).map { server.url("plain", 1_000_000, name: "f\($0)") }
        let result = try await Segdl.run(options + ["--limit-rate-per-file", perFile] + urls, in: directory)
        #expect(result.status == 0, "\(result.errors)")
        for name in ["f0", "f1"] {
            #expect(
                try TestContent(seed: 1).firstMismatch(inFile: directory.file(name), length: 1_000_000) == nil
            )
        }
    }

    @Test("obeys a rate limit")
    func rate() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let began = ContinuousClock.now
        let process = try Segdl.start(
            ["fetch", "-q", "--limit-rate", "200k", "-o", "f", server.url("plain", 100_000_000)],
            in: directory)
        try await Segdl.waitUntilKept("f", atLeast: 1_500_000, in: directory)
        process.send(2)
        #expect(await process.result().signal == SIGINT)
        // The only use of time here: the test is about bytes per second. Without a limit all 100 MB arrive in
        // less than a second.
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let kept = try Segdl.kept("f", in: directory)
        #expect(Double(kept) < 500_000 + 204_800 * seconds, "\(kept) in \(seconds) s")
    }
}
