import Foundation
import TestContent
import TestSupport
import Testing

@Suite("Files with the same name")
struct SameNameTests {
    private let server: TestServerProcess.Scenario
    private let directory: TemporaryDirectory

    init() async throws {
        server = try await SharedServer.scenario()
        directory = try TemporaryDirectory()
    }

    private func run(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await Segdl.run(["fetch"] + arguments, in: directory)
    }

    private func holds(_ file: String, seed: UInt64, _ length: Int64) throws -> Bool {
        try TestContent(seed: seed).firstMismatch(inFile: directory.file(file), length: length) == nil
    }

    @Test(
        "belong to the first URL of a run, whichever responds first",
        arguments: ["fail", "replace", "skip"])
    func first(policy: String) async throws {
        let slow = server.url("plain", 3_000_000, name: "x.bin", "seed=1&delay=400")
        let quick = server.url("plain", 1000, name: "x.bin", "seed=2")
        for _ in 1...2 {
            let result = try await run(["--if-exists", policy, slow, quick])
            #expect(result.status == 1, "\(result)")
            #expect(
                result.errors.contains("/plain/3000000/x.bin") && result.errors.contains("/plain/1000/x.bin"))
            #expect(result.errors.contains("--if-exists rename"), "\(result)")
            #expect(directory.names == ["x.bin"])
            #expect(try holds("x.bin", seed: 1, 3_000_000))
        }
    }

    @Test(
        "are numbered in the order of the URLs with --if-exists rename, and keep their numbers in the next run",
        arguments: ["1", "5"])
    func renamed(jobs: String) async throws {
        let urls = [300, 0, 150].enumerated().map { [server] in
            server.url("plain", 2_000_000, name: "x.bin", "conditions=1&seed=\($0 + 1)&delay=\($1)")
        }
        var sent: [Int64] = []
        for _ in 1...2 {
            let result = try await run(["-j", jobs, "--if-exists", "rename"] + urls)
            #expect(result.status == 0, "\(result)")
            #expect(directory.names == ["x.1.bin", "x.2.bin", "x.bin"])
            for (index, name) in ["x.bin", "x.1.bin", "x.2.bin"].enumerated() {
                let held = try (1...3).filter { try holds(name, seed: $0, 2_000_000) }
                #expect(held == [UInt64(index + 1)], "\(name) of \(result)")
            }
            sent.append(try await server.peak().bytesSent)
        }
        // Fetching a file again would take two million bytes.
        #expect(sent[1] - sent[0] < 2_000_000, "\(sent)")
    }

    @Test("chosen by the server are reported with both URLs")
    func fromServer() async throws {
        let urls = ["a", "b"].map { [server] in
            server.url("plain", 1000, name: $0, "disposition=attachment;filename=z")
        }
        let result = try await run(urls)
        #expect(result.status == 1, "\(result)")
        #expect(urls.allSatisfy { result.errors.contains($0.prefix { $0 != "?" }) }, "\(result)")
        #expect(directory.names == ["z"])
    }

    @Test(
        "in a list are reported before any request, and a repeated line counts once")
    func fromList() async throws {
        let urls = ["a", "b", "a"].map { [server] in server.url("plain", 1000, name: $0) }
        try directory.write(urls.map { "\($0)\n  out=z\n" }.joined(), to: "list")
        let result = try await run(["-i", "list"])
        #expect(result.status == 1 && result.errors.contains("fetched once"), "\(result)")
        #expect(urls.allSatisfy { result.errors.contains($0.prefix { $0 != "?" }) }, "\(result)")
        #expect(try await server.peak().requests == 1)
        #expect(directory.names == ["list", "z"])
    }

    @Test("with another query are different files: -c neither adopts a complete one nor resumes it")
    func otherQuery() async throws {
        // The same beginning, length, date and ETag, but different content.
        let urls = ["v=1", "v=2"].map { [server] in server.url("plain", 3_000_000, name: "x.bin", $0) }
        #expect(try await run([urls[0]]).status == 0)
        let other = try await run(["-c", urls[1]])
        #expect(other.status == 5 && other.errors.contains("it was fetched from another URL"), "\(other)")
        let longer = try await run(["-c", server.url("plain", 4_000_000, name: "x.bin", "v=3")])
        #expect(longer.status == 5 && longer.errors.contains("exists"), "\(longer)")
        #expect(directory.names == ["x.bin"])
        #expect(try holds("x.bin", seed: 1, 3_000_000))
    }

    @Test("with another query that are unfinished are not resumed with other bytes")
    func otherUnfinished() async throws {
        let tags = "etag=none&lm=none"
        let slow = server.url("plain", 3_000_000, name: "x.bin", "v=1&hold-tail=2000&\(tags)")
        let process = try Segdl.start(["fetch", "-q", "-s", "1", slow], in: directory)
        try await Segdl.waitUntilKept("x.bin", atLeast: 500_000, in: directory)
        process.send(SIGINT)
        #expect(await process.result().signal == SIGINT)
        let kept = try Segdl.kept("x.bin", in: directory)
        let other = try await run(["-c", server.url("plain", 3_000_000, name: "x.bin", "v=2&seed=2&\(tags)")])
        #expect(other.status == 5 && other.errors.contains("is another file"), "\(other)")
        #expect(try Segdl.kept("x.bin", in: directory) == kept)
        #expect(directory.names == ["x.bin.part", "x.bin.part.segdl"])
    }
}
